import { expect, test } from 'vitest';
import type { WorkPhase } from './resize-work.js';
import { phaseEnded } from './timed-phase.js';

const checking: WorkPhase = { kind: 'checking', patch: 0 };
const settling: WorkPhase = { kind: 'settling', sinceMs: 1 };

test.each<[string, WorkPhase, WorkPhase | undefined, string | undefined]>([
  ['goes on settling', settling, { ...settling }, undefined],
  ['has settled', settling, checking, 'fence'],
  ['is given up while the machine grows', { kind: 'growing', sinceMs: 1 }, undefined, 'actuator'],
  ['goes on after a check', checking, settling, undefined],
  ['ends with the machine', { kind: 'shrinking', sinceMs: 1 }, undefined, 'actuator'],
])('phaseEnded() when a resize %s', (_what, before, after, phase) => {
  expect(phaseEnded(before, after)).toEqual(phase && { phase, sinceMs: 1 });
});
