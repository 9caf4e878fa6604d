import { hostname } from 'node:os';
import { scaledClock, startCluster } from '@slipway/devcluster';
import {
  addWaiver,
  Feature,
  featureServer,
  installFeatureCrds,
  maxUnavailableStatefulSet,
  previewChange,
  requestChange,
} from '@slipway/features';
import { silentLog } from '@slipway/kube';
import { expect, test } from 'vitest';

test('a control plane that nothing can read blocks a transition soon, by name, and a waiver lets it go on', async () => {
  // Its components report nothing, and their host is none of the nodes, as on a managed cluster.
  const cluster = await startCluster({ nodes: 1, log: silentLog, clock: scaledClock(40) });
  const kube = cluster.kube();
  const stopping = new AbortController();
  const definitions = [maxUnavailableStatefulSet()];
  const server = featureServer({ kube, identity: 'one', definitions, authors: 'Trust', log: silentLog });
  const ref = { name: 'maxunavailablestatefulset', namespace: 'kube-system' };
  const feature = () => kube.resource(Feature).get(ref);
  const until = (isSo: (text: string) => boolean) =>
    expect
      .poll(async () => isSo(JSON.stringify((await kube.resource(Feature).find(ref))?.status ?? '')), {
        timeout: 60_000,
      })
      .toBe(true);
  try {
    await installFeatureCrds(kube);
    await cluster.ready();
    await server.start(stopping.signal);
    await until((status) => status.includes('OutOfReach'));
    await requestChange(kube, await previewChange(kube, await feature(), 'On'), { consent: true });
    await until((status) => status.includes('"reason":"Stragglers"'));
    const waiver = { id: 'provider', process: hostname(), by: 'jane', forMs: 86_400_000 };
    await addWaiver(kube, await feature(), { ...waiver, reason: 'the provider turned it on' });
    await until((status) => status.includes('"state":"On"'));
    expect(JSON.stringify((await feature()).status?.conditions)).toContain('"reason":"Waived"');
  } finally {
    stopping.abort();
    await server.stop?.();
    await cluster.stop();
  }
}, 120_000);
