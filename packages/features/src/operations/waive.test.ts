import { expect, test } from 'vitest';
import type { Feature } from '../api/feature.js';
import { apiVersion, group } from '../api/group.js';
import { aCluster } from '../testing/a-cluster.js';
import { addWaiver, type NewWaiver, removeWaiver } from './waive.js';

const dayMs = 86_400_000;
const asked: NewWaiver = { id: 'w-1', node: 'n17', reason: 'its disk is being replaced', by: 'anna', forMs: 7 * dayMs };

function withFeature() {
  const cluster = aCluster();
  const metadata = { name: 'widgets', namespace: 'kube-system' };
  cluster.api.seed({ group: '', plural: 'nodes' }, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n17' } });
  cluster.api.seed({ group, plural: 'features' }, { apiVersion, kind: 'Feature', metadata, spec: { gate: 'Widgets' } });
  return { ...cluster, feature: cluster.feature('widgets') as Feature, stored: () => cluster.feature('widgets')?.spec };
}

test('addWaiver() says who answers for what until when; removeWaiver() takes it back', async () => {
  const { kube, feature, stored } = withFeature();
  await addWaiver(kube, feature, asked);
  const { forMs: _for, ...same } = asked;
  expect(stored()).toEqual({ gate: 'Widgets', waivers: [{ ...same, expires: '2026-01-08T00:00:00.000Z' }] });
  await expect(removeWaiver(kube, feature, 'w-2')).rejects.toThrow('there is no waiver w-2');
  await removeWaiver(kube, feature, 'w-1');
  expect(stored()?.waivers).toEqual([]);
});

test.each<[string, Partial<NewWaiver> & { node?: string | undefined }, string]>([
  ['no reason to speak of', { reason: ' because  ' }, 'at least 10 characters'],
  ['too long', { forMs: 30 * dayMs + 1 }, '30 days at most'],
  ['a node that does not exist', { node: 'n18' }, 'there is no node n18'],
  ['a task that is not ahead', { node: undefined, task: 'Nope' } as never, 'no task Nope is ahead; none is'],
  ['no time', { forMs: 0 }, 'for a time that is named'],
  ['two things', { task: 'ClearField' }, 'one process, node, task or object'],
  ['an object without a resource', { node: undefined, object: 'web' } as never, 'is not RESOURCE.GROUP/NAMESPACE/NAME'],
])('addWaiver() refuses %s', async (_what, more, why) => {
  const { kube, feature, stored } = withFeature();
  const given = Object.fromEntries(Object.entries({ ...asked, ...more }).filter(([, value]) => value !== undefined));
  await expect(addWaiver(kube, feature, given as unknown as NewWaiver)).rejects.toThrow(why);
  expect(stored()?.waivers).toBeUndefined();
});

test('addWaiver() holds 32 at a time, and forgets those that are over', async () => {
  const { kube, clock, feature, stored } = withFeature();
  for (let count = 0; count < 32; count++) await addWaiver(kube, feature, { ...asked, id: `w-${count}`, forMs: dayMs });
  await expect(addWaiver(kube, feature, { ...asked, id: 'w-32' })).rejects.toThrow('there are 32 waivers');
  await clock.advance(dayMs);
  await addWaiver(kube, feature, { ...asked, id: 'w-32' });
  expect(stored()?.waivers?.map(({ id }) => id)).toEqual(['w-32']);
});
