import { expect, test } from 'vitest';
import { builtInSchema } from './type-table.js';

// number in an int32 -> what Go's conversion makes of it
const cases: readonly (readonly [number, number])[] = [
  [80, 80],
  [2 ** 31, -(2 ** 31)],
  [-(2 ** 31) - 1, 2 ** 31 - 1],
  [1e300, 0],
  [1.5, 1.5],
];

test('wrapIntegers() keeps the lower bits of numbers that are too large for their fields', () => {
  for (const [given, expected] of cases) {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      spec: { containers: [{ name: 'a', ports: [{ containerPort: given }] }] },
    };
    builtInSchema('core.v1.Pod').wrapIntegers?.(pod);
    expect(pod.spec.containers[0]?.ports[0]?.containerPort).toBe(expected);
  }
});
