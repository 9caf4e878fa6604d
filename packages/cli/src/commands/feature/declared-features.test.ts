import { startCluster } from '@slipway/devcluster';
import {
  defineFeature,
  Feature,
  FeatureDefinition,
  featureServer,
  installFeatureCrds,
  listUses,
  usesByNode,
} from '@slipway/features';
import { silentLog } from '@slipway/kube';
import { expect, test } from 'vitest';

test('a feature that kubelets declare is on without any node agent, on every node that lives', async () => {
  const cluster = await startCluster({ nodes: 2, log: silentLog });
  const kube = cluster.kube();
  const stopping = new AbortController();
  const server = featureServer({ kube, identity: 'one', definitions: [], log: silentLog });
  try {
    await installFeatureCrds(kube);
    await cluster.ready();
    await server.start(stopping.signal);
    const { object } = defineFeature({
      gate: 'RestartAllContainersOnContainerExits',
      scope: 'Cluster',
      stages: [
        { version: '1.35', stage: 'Alpha', default: false },
        { version: '1.36', stage: 'Beta', default: true },
      ],
      components: [{ name: 'kubelet', required: true, roster: 'Nodes' }],
      dynamic: 'Never',
      disable: 'Supported',
    });
    await kube.resource(FeatureDefinition).create(object);
    const ref = { name: object.metadata.name ?? '', namespace: 'kube-system' };
    const feature = async () => await kube.resource(Feature).find(ref);
    await expect
      .poll(async () => (await feature())?.status?.uses, { timeout: 30_000 })
      .toMatchObject({ on: 2, silent: 0 });
    const uses = await usesByNode(kube, await listUses(kube, 'kube-system', object.spec.gate), object.spec);
    expect(uses.map(({ node, value, source }) => [node, value, source])).toEqual([
      ['n1', 'on', 'Declared'],
      ['n2', 'on', 'Declared'],
    ]);
  } finally {
    stopping.abort();
    await server.stop?.();
    await cluster.stop();
  }
}, 60_000);
