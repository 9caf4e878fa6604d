import { expect, test } from 'vitest';
import { type DescribedDevice, deviceSelectors } from './device-selectors.js';

const device: DescribedDevice = {
  attributes: {
    model: { string: 'A100' },
    'vendor.example/numa': { int: 1 },
    'vendor.example/shared': { bool: true },
    driverVersion: { version: '12.4.1' },
  },
  capacity: { memory: { value: '80Gi' }, 'vendor.example/slices': { value: '7' } },
};
const hint =
  'consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields';

// expression | what it says of the device
const cases: [string, boolean | string][] = [
  ['device.driver == "gpu.example.com"', true],
  ['device.attributes["gpu.example.com"].model == "A100"', true],
  ['device.attributes["vendor.example"].numa > 1', false],
  ['device.attributes["vendor.example"].shared', true],
  ['device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("12.4.0"))', true],
  ['device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0', true],
  ['device.capacity["vendor.example"].slices == quantity("7")', true],
  ['device.allowMultipleAllocations', false],
  ['"other.example" in device.attributes', false],
  ['"vendor.example" in device.attributes', true],
  ['has(device.attributes["other.example"].model)', false],
  ['device.attributes["other.example"].?model.orValue("none") == "none"', true],
  ['cel.bind(own, device.attributes["gpu.example.com"], own.model == "A100" && cel.bind(n, 1, n == 1))', true],
  ['cel.bind(own, device.attributes["other.example"].model, true)', `no such key: model. ${hint}`],
  ['device.attributes["other.example"].model == "A100"', `no such key: model. ${hint}`],
  ['device.attributes["gpu.example.com"].model', 'CEL result could not be converted to bool'],
];

test.each(cases)('deviceSelectors() evaluates %s', (expression, expected) => {
  const condition = deviceSelectors()(expression);
  expect(typeof condition === 'string' ? condition : condition('gpu.example.com', device)).toBe(expected);
});

// expression | part of the reason
const broken: [string, string][] = [
  ['device.', 'compilation failed: ERROR: <input>:1:8: Syntax error'],
  ['device.size == 1', "compilation failed: ERROR: <input>:1:7: undefined field 'size'"],
  ['device.driver', 'must evaluate to bool or the unknown type, not string'],
  ['cel.bind("own", device, true)', 'cel.bind() variable names must be simple identifiers'],
  ['self.driver == "a"', "undeclared reference to 'self'"],
];

test.each(broken)('deviceSelectors() refuses %s', (expression, reason) => {
  expect(deviceSelectors()(expression)).toEqual(expect.stringContaining(reason));
});

test('deviceSelectors() compiles an expression once while it is in use', () => {
  const compile = deviceSelectors();
  const first = compile('device.driver == "a"');
  for (let number = 0; number < 150; number++) compile(`device.driver == "b${number}"`);
  expect(compile('device.driver == "a"')).toBe(first);
  for (let number = 0; number < 200; number++) compile(`device.driver == "c${number}"`);
  expect(compile('device.driver == "a"')).not.toBe(first);
});
