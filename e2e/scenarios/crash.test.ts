import { fileURLToPath } from 'node:url';
import { Feature } from '@slipway/features';
import { Kube } from '@slipway/kube';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { eventually, freeGates, type RunningCluster, upAlone } from '../support/slipway.js';

const gate = 'MaxUnavailableStatefulSet';
const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true } as const;
const statefulSets = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
} as const;
const manifest = fileURLToPath(new URL('../../examples/kep-961/stateful-sets.yaml', import.meta.url));

/** More of them by night: `SLIPWAY_CRASH_ROUNDS=200`. */
const rounds = Number(process.env.SLIPWAY_CRASH_ROUNDS ?? 3);
const timeout = Math.max(120_000, rounds * 20_000);

test('kill -9 under writers: nothing acknowledged is lost, and watchers see each write once, in order', {
  timeout,
}, async () => {
  const dataDir = testFolder();
  const acknowledged = new Map<string, string>();
  const watchers = Array.from({ length: 8 }, (): string[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const cluster = await upAlone({ kubernetes: freeGates, dataDir, nodes: 1 });
    const client = (await Kube.connect({ kubeconfig: cluster.kubeconfig, qps: 10_000 })).resource(configMaps);
    const { present, revision } = await everything(client);
    for (const [name, written] of acknowledged) expect(present.get(name)).toBe(written);

    const over = new AbortController();
    const watching = watchers.map((seen) => follow(client, seen, revision, over.signal));
    let going = true;
    const writers = Array.from({ length: 64 }, async (_, writer) => {
      for (let n = 0; going; n += 1) {
        const name = `w${round}-${writer}-${n}`;
        const made = await client
          .create({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name, namespace: 'default' },
            data: { writer: `${writer}` },
          })
          .catch(() => undefined);
        if (!made) return;
        acknowledged.set(name, made.metadata.resourceVersion ?? '');
      }
    });
    const before = acknowledged.size;
    // At another moment each time: somewhere in the middle of reading, writing to disk or answering.
    const many = 200 + ((round * 37) % 300);
    await eventually('writes are under way', async () => acknowledged.size > before + many);
    await cluster.end('SIGKILL');
    going = false;
    over.abort();
    await Promise.all([...writers, ...watching]);
  }
  const cluster = await upAlone({ kubernetes: freeGates, dataDir, nodes: 1 });
  try {
    const client = (await Kube.connect({ kubeconfig: cluster.kubeconfig })).resource(configMaps);
    const { present, revision } = await everything(client);
    for (const [name, written] of acknowledged) expect(present.get(name)).toBe(written);
    const inOrder = [...present.values()].sort((a, b) => Number(a) - Number(b));
    expect(new Set(inOrder).size).toBe(present.size);
    const over = new AbortController();
    const watching = watchers.map((seen) => follow(client, seen, revision, over.signal));
    await eventually('watchers have caught up', async () => watchers.every((seen) => seen.length >= present.size));
    over.abort();
    await Promise.all(watching);
    for (const seen of watchers) expect(seen).toEqual(inOrder);
  } finally {
    await cluster.end('SIGTERM');
  }
});

/**
 * Writes down the revision of every object that is made, from where this watcher was cut off.
 * @param from where it begins the first time
 */
async function follow(
  client: ReturnType<Kube['resource']>,
  seen: string[],
  from: string,
  signal: AbortSignal,
): Promise<void> {
  const resourceVersion = seen.at(-1) ?? from;
  try {
    for await (const { type, object } of client.watch({ namespace: 'default', resourceVersion }, signal)) {
      if (type === 'ERROR') throw new TypeError(`the watch cannot be resumed: ${JSON.stringify(object)}`);
      if (object.metadata.name?.startsWith('w')) seen.push(object.metadata.resourceVersion ?? '');
    }
  } catch (error) {
    // The server is killed; that it refuses where to go on from would be another matter.
    if (error instanceof TypeError || (error as { code?: number }).code === 410) throw error;
  }
}

test('kill -9 in the middle of a transition: it goes on where it was', async () => {
  const dataDir = testFolder();
  let cluster = await upAlone({
    kubernetes: freeGates,
    dataDir,
    nodes: 1,
    args: ['--component-gates', `kube-controller-manager:${gate}=true`],
  });
  const apply = async () => await cluster.kubectl(['apply', '-f', manifest]);
  try {
    expect(await cluster.slipway(['feature', 'on', gate, '--yes', '--timeout=60s'])).toMatchObject({ code: 0 });
    expect(await apply()).toMatchObject({ code: 0 });
    expect(await cluster.slipway(['feature', 'off', gate, '--yes'])).toMatchObject({ code: 0 });
    const waiting = await eventually('the transition has begun', async () => await transition(cluster));
    await cluster.end('SIGKILL');

    // The same pin again: still waiting, in the same transition.
    cluster = await upAlone({
      kubernetes: freeGates,
      dataDir,
      nodes: 1,
      args: ['--component-gates', `kube-controller-manager:${gate}=true`],
    });
    const again = await eventually('the transition is still there', async () => await transition(cluster));
    expect(again.id).toBe(waiting.id);
    await cluster.end('SIGKILL');

    // Without the pin everybody agrees, and it comes to its end.
    cluster = await upAlone({ kubernetes: freeGates, dataDir, nodes: 1 });
    const client = await Kube.connect({ kubeconfig: cluster.kubeconfig });
    await eventually(
      'the feature is off',
      async () =>
        (await client.resource(Feature).get({ namespace: 'kube-system', name: gate.toLowerCase() })).status?.state ===
        'Off',
      60_000,
    );
    const { items } = await client.resource(statefulSets).list({ namespace: 'default' });
    const left = items.map(({ metadata, spec }) => [metadata.name, spec.updateStrategy.rollingUpdate?.maxUnavailable]);
    // The plain one was made while the gate was on, so that it holds the default.
    expect(Object.fromEntries(left)).toEqual({ ledger: undefined, plain: 1, search: undefined });
  } finally {
    await cluster.end('SIGTERM');
  }
});

async function transition(cluster: RunningCluster): Promise<{ id: string } | undefined> {
  const client = await Kube.connect({ kubeconfig: cluster.kubeconfig });
  const feature = await client.resource(Feature).get({ namespace: 'kube-system', name: gate.toLowerCase() });
  return feature.status?.transition;
}

/** resourceVersion by name of every config map that the writers made, and the revision of that. */
async function everything(client: ReturnType<Kube['resource']>) {
  const present = new Map<string, string>();
  let revision = '';
  for await (const page of client.pages({ namespace: 'default', limit: 500 })) {
    revision = page.resourceVersion;
    for (const item of page.items) {
      if (item.metadata.name?.startsWith('w')) present.set(item.metadata.name, item.metadata.resourceVersion ?? '');
    }
  }
  return { present, revision };
}
