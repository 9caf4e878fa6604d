import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { silentLog } from '../log/logger.js';
import { inMemoryApi, ManualClock } from '../testing/index.js';
import { LeaseKeeper, leaderLease } from './keep-lease.js';
import { leases } from './leases.js';

const ref = { namespace: 'kube-system', name: 'l' };

function aKeeper() {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const kube = new Kube(api, { clock });
  const spec = { metadata: { ...ref, labels: { a: 'b' } }, holderIdentity: 'me', durationSeconds: 40 };
  return { clock, api, client: kube.resource(leases), keeper: new LeaseKeeper(kube, spec) };
}

test('LeaseKeeper makes its lease and then renews it with one write each', async () => {
  const { clock, api, client, keeper } = aKeeper();
  await keeper.renew();
  expect((await client.get(ref)).spec).toEqual({
    holderIdentity: 'me',
    leaseDurationSeconds: 40,
    renewTime: '2026-01-01T00:00:00.000000Z',
  });
  const before = api.requests.length;
  await clock.advance(10_000);
  await keeper.renew();
  expect(api.requests.length).toBe(before + 1);
  expect((await client.get(ref)).spec.renewTime).toBe('2026-01-01T00:00:10.000000Z');
});

test('LeaseKeeper takes up a lease it finds, one that another writer updated, and one that was deleted', async () => {
  const { client, keeper } = aKeeper();
  await client.create({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...ref, labels: { c: 'd' } },
    spec: { leaseTransitions: 3 },
  });
  await keeper.renew();
  const found = await client.get(ref);
  expect(found.metadata.labels).toEqual({ a: 'b', c: 'd' });
  expect(found.spec).toMatchObject({ holderIdentity: 'me', leaseTransitions: 3 });
  await client.merge(ref, { metadata: { annotations: { by: 'another' } } });
  await keeper.renew();
  expect((await client.get(ref)).metadata.annotations).toEqual({ by: 'another' });
  await client.delete(ref);
  await keeper.renew();
  expect((await client.get(ref)).spec.holderIdentity).toBe('me');
});

test('leaderLease() says who leads and renews that, until it is stopped; the lease stays', async () => {
  const { clock, api, client } = aKeeper();
  const lease = leaderLease(new Kube(api, { clock }), silentLog, 'kube-controller-manager', 'host-1_a');
  const stopping = new AbortController();
  await lease.start(stopping.signal);
  const spec = async () => (await client.get({ ...ref, name: 'kube-controller-manager' })).spec;
  expect(await spec()).toMatchObject({ holderIdentity: 'host-1_a', renewTime: '2026-01-01T00:00:00.000000Z' });
  await clock.advance(10_000);
  expect(await spec()).toMatchObject({ renewTime: '2026-01-01T00:00:10.000000Z' });
  stopping.abort();
  await lease.stop?.();
  await clock.advance(60_000);
  expect(await spec()).toMatchObject({ renewTime: '2026-01-01T00:00:10.000000Z' });
});
