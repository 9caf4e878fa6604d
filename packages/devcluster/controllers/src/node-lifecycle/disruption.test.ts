import { expect, test } from 'vitest';
import { type Disruption, disruptionOf, evictionsPerSecond } from './disruption.js';

// ready | not ready | is | evictions per second
const cases: [number, number, Disruption, number][] = [
  [3, 0, 'normal', 0.1],
  [2, 1, 'normal', 0.1],
  [1, 2, 'normal', 0.1],
  [0, 3, 'full', 0],
  [0, 1, 'full', 0],
  [2, 3, 'partial', 0],
  [3, 3, 'normal', 0.1],
  [40, 60, 'partial', 0.01],
  [0, 0, 'normal', 0.1],
];
test.each(cases)('disruptionOf() %i ready and %i not: %s', (ready, notReady, expected, rate) => {
  const disruption = disruptionOf(ready, notReady);
  expect([disruption, evictionsPerSecond(disruption, ready + notReady)]).toEqual([expected, rate]);
});
