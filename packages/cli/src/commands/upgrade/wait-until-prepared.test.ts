import { Feature, type FeatureStatus } from '@slipway/features';
import { Kube } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { waitUntilPrepared } from './wait-until-prepared.js';

const { group, plural } = Feature;
const task = { name: 'clear', kind: 'ClearCollection', argsDigest: '' };
const maintenance = { id: 'm', from: '1.34', to: '1.35', startedAt: '', plan: 'p', tasks: [] };
const done = { ...task, at: '', seconds: 1, result: 'Done' as const };
const blocked = (observedGeneration: number): FeatureStatus => {
  const [lastTransitionTime, message] = ['2026-01-01T00:00:00Z', 'no such path'];
  const conditions = [{ type: 'Blocked', status: 'True', reason: 'Definition', message, lastTransitionTime } as const];
  return { observedGeneration, conditions };
};

/** What is left of features with these statuses, once nothing can be waited for. */
async function left(statuses: Readonly<Record<string, FeatureStatus>>, withinMs = 60_000) {
  const api = inMemoryApi();
  const features = Object.entries(statuses).map(([name, status]): Feature => {
    const metadata = { name, namespace: 'kube-system', generation: 2 };
    return { apiVersion: `${group}/v1alpha1`, kind: 'Feature', metadata, spec: { gate: name }, status };
  });
  api.seed({ group, plural }, ...features);
  const requested = features.map((feature) => ({ feature, preparation: { plan: 'p', before: [task] } }));
  return waitUntilPrepared(new Kube(api), requested, withinMs, new AbortController().signal);
}

test('waitUntilPrepared() ends once everything is prepared', async () => {
  expect(await left({ a: { maintenance: { ...maintenance, completed: [done] } } })).toEqual([]);
});

test('waitUntilPrepared() does not wait for what only a person can change', async () => {
  const prepared = { maintenance: { ...maintenance, completed: [done] } };
  expect(await left({ a: prepared, b: blocked(2) })).toEqual([{ gate: 'b', blocked: 'no such path' }]);
});

test('waitUntilPrepared() goes on waiting while a status has not seen the request, or something is at work', async () => {
  const open = await left({ a: blocked(1), b: blocked(2), c: { observedGeneration: 2 } }, 0);
  expect(open).toMatchObject([{ gate: 'a' }, { gate: 'b' }, { gate: 'c' }]);
});
