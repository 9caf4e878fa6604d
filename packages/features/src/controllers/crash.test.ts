import type { KubeRequest } from '@slipway/kube';
import { expect, test } from 'vitest';
import { Feature } from '../api/feature.js';
import { maxUnavailableStatefulSet } from '../catalogue/max-unavailable-stateful-set.js';
import { previewChange } from '../operations/preview-change.js';
import { requestChange } from '../operations/request-change.js';
import { aCluster, asIfServed, type SimulatedProcess, type TestCluster } from '../testing/a-cluster.js';
import { serve } from '../testing/serve.js';

const gate = 'MaxUnavailableStatefulSet';
const name = gate.toLowerCase();
const [sets, users, pageSize] = [9, 6, 3];

/** A cluster whose feature is on and used, with a server just about to hear that it shall be off. */
async function usedCluster(): Promise<TestCluster> {
  const cluster = aCluster({ sets, users });
  const processes: SimulatedProcess[] = ['kube-apiserver', 'kube-controller-manager'].map((component) => ({
    component,
    instance: 'one',
    gate,
    value: true,
    pinned: false,
  }));
  cluster.processes(...processes);
  const stopFirst = serveThrough(cluster);
  await cluster.until(() => cluster.feature(name)?.status?.state === 'On');
  await stopFirst();
  const ref = { name, namespace: 'kube-system' };
  await cluster.kube.resource(Feature).merge(ref, { spec: { pace: { pageSize, inFlight: 1 } } });
  const feature = cluster.feature(name) as Feature;
  const preview = await previewChange(cluster.kube, feature, 'Off');
  await asIfServed(cluster, () => requestChange(cluster.kube, preview, { consent: true }));
  return cluster;
}

function serveThrough(cluster: TestCluster, before?: (request: KubeRequest) => void) {
  return serve(cluster.client(before), { definitions: [maxUnavailableStatefulSet({ dynamic: 'Live' })] });
}

/** A process that has died: from its k-th request on nothing it does reaches the API. */
function dyingAt(k: number) {
  let count = 0;
  return {
    isDead: () => count >= k,
    before(request: KubeRequest) {
      // The lease is renewed by a timer of its own; where it falls would only shuffle the cases.
      if (request.path.includes('/leases')) return;
      if (++count >= k) throw new Error('the process is dead');
    },
  };
}

test('a server that dies at any request leaves a transition that the next one completes', async () => {
  let deaths = 0;
  for (let k = 1; ; k++) {
    const cluster = await usedCluster();
    const patchesBefore = countOfPatches(cluster);
    const death = dyingAt(k);
    const stopDoomed = serveThrough(cluster, death.before);
    await cluster.until(() => death.isDead() || isOff(cluster));
    if (!death.isDead()) {
      await stopDoomed();
      break;
    }
    deaths++;
    void stopDoomed();
    const stopNext = serveThrough(cluster);
    await cluster.until(() => isOff(cluster));

    const { status } = cluster.feature(name) as Feature;
    expect(status?.dangling, `dead at request ${k}`).toMatchObject({ count: 0, complete: true });
    expect(status?.transition).toBeUndefined();
    expect(status?.history?.filter(({ to }) => to === 'Off')).toHaveLength(1);
    expect(usersLeft(cluster), `dead at request ${k}`).toBe(0);
    // Every object was changed once: what the dead server had changed was not changed again.
    expect(cluster.statefulSets().map(({ metadata }) => metadata.generation)).toEqual([2, 2, 2, 2, 2, 2, 1, 1, 1]);
    // And at most one page was tried again.
    expect(countOfPatches(cluster) - patchesBefore).toBeLessThanOrEqual(users + pageSize);
    expect(backedUp(cluster)).toBe(users);
    await stopNext();
  }
  // Otherwise the loop proved nothing.
  expect(deaths).toBeGreaterThan(20);
}, 240_000);

const isOff = (cluster: TestCluster) => cluster.feature(name)?.status?.state === 'Off';

const usersLeft = (cluster: TestCluster) =>
  cluster.statefulSets().filter(({ spec }) => spec.updateStrategy.rollingUpdate.maxUnavailable !== undefined).length;

const countOfPatches = ({ api }: TestCluster) =>
  api.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/statefulsets/')).length;

function backedUp({ api }: TestCluster): number {
  return api.stored({ group: '', plural: 'secrets' }).flatMap(({ data }) => {
    const text = Buffer.from((data as Record<string, string>)['values.ndjson'] ?? '', 'base64').toString();
    return text.split('\n').filter(Boolean);
  }).length;
}
