import { expect, test } from 'vitest';
import { resizePreemptionGate } from './gate-names.js';
import { gatedProfile, nativeProfile, versionProfiles } from './version-profile.js';

test.each([
  ['1.33', { observesGeneration: false, reportsAllocated: false, namesTaints: true, looksForClaims: false }],
  ['1.34', { observesGeneration: true, reportsAllocated: true, namesTaints: false, looksForClaims: true }],
  ['1.36', { looksForClaims: true, saysNoClaims: true }],
  ['1.37', { observesGeneration: true, reportsAllocated: true, namesTaints: false, saysNoClaims: false }],
])('nativeProfile(%s) is that version with the preemption rule of KEP-5620', (version, expected) => {
  expect(nativeProfile(version)).toMatchObject({
    ...expected,
    kubeletHonoursNever: true,
    resizePreemption: 'kubelet',
  });
});

test('gatedProfile() leaves room for pods that grow to the scheduler where the gate is on', () => {
  const gated = gatedProfile('1.37', (gate) => gate === resizePreemptionGate);
  expect(gated).toEqual({ ...versionProfiles['v1.37-gate'], kubeletHonoursNever: true });
  expect(gatedProfile('1.37', () => false)).toEqual(nativeProfile('1.37'));
});
