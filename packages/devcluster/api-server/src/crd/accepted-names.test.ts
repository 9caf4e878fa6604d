import { cpuMsOf } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { acceptNames } from './accepted-names.js';
import type { CustomResourceDefinition } from './definition-object.js';
import { aDefinition } from './testing/a-definition.js';

const now = '2026-01-01T00:00:00Z';
const named = (shortNames: string[], accepted: string[] = []): CustomResourceDefinition => {
  const definition = aDefinition({ names: { plural: 'alphas', kind: 'Alpha', shortNames } });
  return { ...definition, status: { ...definition.status, acceptedNames: { shortNames: accepted } } };
};

test('acceptNames() keeps short names that a definition had before another wanted them, and refuses others', () => {
  const other = named([], ['a', 'b']);
  expect(acceptNames(named(['a', 'b'], ['a', 'b']), [other], now).acceptedNames.shortNames).toEqual(['a', 'b']);
  const refused = acceptNames(named(['a', 'c'], ['c']), [other], now);
  expect(refused.acceptedNames.shortNames).toEqual(['c']);
  expect(refused.conditions).toContainEqual(expect.objectContaining({ message: '"a" is already in use' }));
});

test('acceptNames() does not look at every short name for every other', async () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `s${at}`);
  expect(await cpuMsOf(() => acceptNames(named(many, many), [], now))).toBeLessThan(1_000);
});
