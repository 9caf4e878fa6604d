import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kube } from '@slipway/kube';
import { afterEach, expect, test } from 'vitest';
import { eventually, type RunningCluster, up } from '../support/slipway.js';

const gate = 'MaxUnavailableStatefulSet';
const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true } as const;
const statefulSets = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
} as const;
const features = {
  group: 'features.slipway.dev',
  version: 'v1alpha1',
  kind: 'Feature',
  plural: 'features',
  namespaced: true,
} as const;
const manifest = fileURLToPath(new URL('../../examples/kep-961/stateful-sets.yaml', import.meta.url));

const folders: string[] = [];
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

test('kill -9 under writers: nothing acknowledged is lost, and no revision comes twice', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-crash-'));
  folders.push(dataDir);
  const acknowledged = new Map<string, string>();
  for (let round = 0; round < 3; round += 1) {
    const cluster = await up({ dataDir, nodes: 1 });
    const client = (await Kube.connect({ kubeconfig: cluster.kubeconfig })).resource(configMaps);
    const present = await everything(client);
    for (const [name, revision] of acknowledged) expect(present.get(name)).toBe(revision);

    let going = true;
    const writers = Array.from({ length: 16 }, async (_, writer) => {
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
    await eventually('writes are under way', async () => acknowledged.size > before + 200);
    await cluster.end('SIGKILL');
    going = false;
    await Promise.all(writers);
  }
  const cluster = await up({ dataDir, nodes: 1 });
  try {
    const present = await everything((await Kube.connect({ kubeconfig: cluster.kubeconfig })).resource(configMaps));
    for (const [name, revision] of acknowledged) expect(present.get(name)).toBe(revision);
    expect(new Set(present.values()).size).toBe(present.size);
  } finally {
    await cluster.end('SIGTERM');
  }
});

test('kill -9 in the middle of a transition: it goes on where it was', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-crash-'));
  folders.push(dataDir);
  let cluster = await up({ dataDir, nodes: 1, args: ['--component-gates', `kube-controller-manager:${gate}=true`] });
  const apply = async () => await cluster.kubectl(['apply', '-f', manifest]);
  try {
    expect(await cluster.slipway(['feature', 'on', gate, '--yes', '--wait=60s'])).toMatchObject({ code: 0 });
    expect(await apply()).toMatchObject({ code: 0 });
    expect(await cluster.slipway(['feature', 'off', gate, '--yes'])).toMatchObject({ code: 0 });
    const waiting = await eventually('the transition has begun', async () => await transition(cluster));
    await cluster.end('SIGKILL');

    // The same pin again: still waiting, in the same transition.
    cluster = await up({ dataDir, nodes: 1, args: ['--component-gates', `kube-controller-manager:${gate}=true`] });
    const again = await eventually('the transition is still there', async () => await transition(cluster));
    expect(again.id).toBe(waiting.id);
    await cluster.end('SIGKILL');

    // Without the pin everybody agrees, and it comes to its end.
    cluster = await up({ dataDir, nodes: 1 });
    const client = await Kube.connect({ kubeconfig: cluster.kubeconfig });
    await eventually(
      'the feature is off',
      async () =>
        (await client.resource(features).get({ namespace: 'kube-system', name: gate.toLowerCase() })).status?.state ===
        'Off',
      60_000,
    );
    const { items } = await client.resource(statefulSets).list({ namespace: 'default' });
    expect(items.map((item) => item.spec.updateStrategy.rollingUpdate?.maxUnavailable)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  } finally {
    await cluster.end('SIGTERM');
  }
});

async function transition(cluster: RunningCluster): Promise<{ id: string } | undefined> {
  const client = await Kube.connect({ kubeconfig: cluster.kubeconfig });
  const feature = await client.resource(features).get({ namespace: 'kube-system', name: gate.toLowerCase() });
  return feature.status?.transition;
}

/** resourceVersion by name of every config map that the writers made. */
async function everything(client: ReturnType<Kube['resource']>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const page of client.pages({ namespace: 'default', limit: 500 })) {
    for (const item of page.items) {
      if (item.metadata.name?.startsWith('w')) found.set(item.metadata.name, item.metadata.resourceVersion ?? '');
    }
  }
  return found;
}
