import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import { expect, test } from 'vitest';
import { deviceClasses } from './device-class.js';
import { resourceClaims } from './resource-claim.js';
import { resourceClaimTemplates } from './resource-claim-template.js';
import { resourceSlices } from './resource-slice.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const claim = (...requests: object[]) => ({ spec: { devices: { requests } } });
const slice = (spec: object) => ({
  spec: { driver: 'gpu.example.com', pool: { name: 'p', resourceSliceCount: 1 }, ...spec },
});
const gpu = { deviceClassName: 'gpu.example.com' };

test('ResourceClaim asks for one device of each request, unless it says otherwise', () => {
  const made = created(
    resourceClaims,
    claim({ name: 'a', exactly: gpu }, { name: 'b', firstAvailable: [{ name: 'x', ...gpu }] }),
  );
  expect(made.spec.devices.requests).toMatchObject([
    { exactly: { allocationMode: 'ExactCount', count: 1 } },
    { firstAvailable: [{ allocationMode: 'ExactCount', count: 1 }] },
  ]);
  expect(row(resourceClaims, made)).toMatchObject({ STATE: 'pending' });
  const used = { ...made, status: { allocation: {}, reservedFor: [{ name: 'p' }] } };
  expect(row(resourceClaims, used)).toMatchObject({ STATE: 'allocated,reserved' });
  const template = created(resourceClaimTemplates, { spec: claim({ name: 'a', exactly: gpu }) });
  expect(template.spec.spec.devices.requests[0].exactly.count).toBe(1);
});

const each = 'device.attributes.all(a, ';
const tooCostly = `${each.repeat(5)}true${')'.repeat(5)}`;

test('ResourceSlice notes when a device got a taint', () => {
  const devices = [{ name: 'a', taints: [{ key: 'k', effect: 'NoExecute' }] }, { name: 'b' }];
  const made = created(resourceSlices, slice({ nodeName: 'n1', devices }));
  expect(made.spec.devices[0].taints[0].timeAdded).toBe('2026-11-20T12:00:00Z');
});

// kind | object | what is wrong with it
const invalid: [ResourceDefinition, object, string[]][] = [
  [deviceClasses, { spec: { selectors: [{ cel: { expression: 'device.driver == "a"' } }] } }, []],
  [
    deviceClasses,
    { spec: { selectors: [{}], config: [{ opaque: { driver: 'a', parameters: null } }] } },
    ['spec.selectors[0].cel: Required value', 'spec.config[0].opaque.parameters: Required value'],
  ],
  [
    deviceClasses,
    { spec: { selectors: [{ cel: { expression: 'device.driver' } }, { cel: { expression: tooCostly } }] } },
    [
      'spec.selectors[0].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string',
      'spec.selectors[1].cel.expression: Forbidden: too complex, exceeds cost limit',
    ],
  ],
  [
    resourceClaims,
    claim({ name: 'a', exactly: { ...gpu, selectors: [{ cel: { expression: 'size > 1' } }] } }),
    [expect.stringContaining('.selectors[0].cel.expression: Invalid value: "size > 1": compilation failed: ERROR: ')],
  ],
  [resourceClaims, claim({ name: 'a', exactly: gpu }), []],
  [
    resourceClaims,
    claim({ name: 'a' }, { name: 'a', exactly: { deviceClassName: '', allocationMode: 'All', count: 2 } }),
    [
      'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      'spec.devices.requests[1].name: Duplicate value: "a"',
      'spec.devices.requests[1].exactly.deviceClassName: Required value',
      "spec.devices.requests[1].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
    ],
  ],
  [resourceSlices, slice({ nodeName: 'n1', devices: [{ name: 'gpu-0' }] }), []],
  [
    resourceSlices,
    slice({ devices: [{ name: 'gpu-0' }, { name: 'gpu-0' }] }),
    [
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      'spec.devices[1].name: Duplicate value: "gpu-0"',
    ],
  ],
];

test.each(invalid)('%s: %j', (definition, object, errors) => {
  expect(createErrors(definition, object)).toEqual(errors);
});

test('what was claimed stays, and slices can be found by node and driver', () => {
  const [before, after] = [claim({ name: 'a', exactly: gpu }), claim({ name: 'b', exactly: gpu })];
  expect(updateErrors(resourceClaims, before, after)).toEqual([
    expect.stringMatching(/^spec: Invalid value: .*: field is immutable$/),
  ]);
  const made = created(resourceSlices, slice({ nodeName: 'n1' }));
  expect(resourceSlices.selectableFields['spec.nodeName']?.(made)).toBe('n1');
  expect(row(resourceSlices, made)).toMatchObject({ NODE: 'n1', DRIVER: 'gpu.example.com', POOL: 'p' });
});
