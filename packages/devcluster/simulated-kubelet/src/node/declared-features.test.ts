import { expect, test } from 'vitest';
import { declaredFeatures } from './declared-features.js';

test('declaredFeatures() are sorted, and kubelets declare some from 1.36 on', () => {
  const declared = declaredFeatures('v1.37.0') ?? [];
  expect(declared).toContain('RestartAllContainersOnContainerExits');
  expect([...declared].sort()).toEqual(declared);
  expect(declaredFeatures('v1.36.1')).toEqual(declared);
  expect(declaredFeatures('v1.35.4')).toBeUndefined();
});
