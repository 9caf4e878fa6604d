import { startCluster } from '@slipway/devcluster';
import { Kube, type Logger, silentLog, stderrLog } from '@slipway/kube';
import { expect, test } from 'vitest';
import {
  builtInDefinitions,
  type Feature,
  FeatureUse,
  FeatureVector,
  featureServer,
  findFeature,
  installFeatureCrds,
  listUses,
  previewChange,
  requestChange,
  restoreBackup,
} from '../index.js';

const gate = 'MaxUnavailableStatefulSet';
const log: Logger = process.env.LOG ? stderrLog : silentLog;
const t0 = Date.now();
const say = (...a: unknown[]) => console.log(((Date.now() - t0) / 1000).toFixed(2), ...a);
const StatefulSet = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true };

async function until(kube: Kube, isSo: (f: Feature | undefined) => boolean, what: string, ms = 40000) {
  const end = Date.now() + ms;
  let last = '';
  for (;;) {
    const f = await findFeature(kube, gate, 'kube-system').catch(() => undefined);
    const text = JSON.stringify([f?.status?.summary, f?.status?.transition?.tasks[0]?.message]);
    if (text !== last) say(text);
    last = text;
    if (isSo(f)) return f as Feature;
    if (Date.now() > end) {
      console.log(JSON.stringify(f, null, 1));
      throw new Error('not ' + what);
    }
    await new Promise((r) => setTimeout(r, 50));
  }
}
const sts = (name: string, max?: number) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name, namespace: 'default' },
  spec: {
    serviceName: name,
    replicas: 1,
    selector: { matchLabels: { app: name } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { ...(max && { maxUnavailable: max }) } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
  },
});

test('story', async () => {
  const cluster = await startCluster({ nodes: 2, log });
  say('api ready');
  const https = process.env.HTTPS === '1';
  const { writeFileSync } = await import('node:fs');
  if (https) writeFileSync('/tmp/features-try.kubeconfig', cluster.kubeconfig);
  const kube = https
    ? await Kube.connect({ kubeconfig: '/tmp/features-try.kubeconfig' })
    : new Kube(cluster.transport());
  await installFeatureCrds(kube);
  say('crds');
  const server = featureServer({ kube, identity: 'try', definitions: builtInDefinitions({ dynamic: 'Live' }), log });
  const stop = new AbortController();
  void server.start(stop.signal);
  cluster.startReporting();
  await until(kube, (f) => f?.status?.state === 'Off', 'Off');
  await cluster.ready();
  say('nodes ready');
  const turn = async (to: 'On' | 'Off') => {
    const preview = await previewChange(kube, (await findFeature(kube, gate, 'kube-system')) as Feature, to);
    say('plan', preview.tasks.map((t) => t.name).join(' '), preview.inUse?.count, preview.consent);
    await requestChange(kube, preview, { consent: true });
    say('asked', to);
  };
  await turn('On');
  await until(kube, (f) => f?.status?.state === 'On', 'On');
  for (let i = 0; i < 12; i++) await kube.resource(StatefulSet).create(sts(`s${i}`, i < 5 ? 2 : undefined) as never);
  const users = async () =>
    (await kube.resource(StatefulSet).list({ namespace: 'default' })).items.filter(
      (s) => s.spec.updateStrategy.rollingUpdate?.maxUnavailable !== undefined,
    ).length;
  expect(await users()).toBe(5);
  const manager = cluster.components.find((c) => c.name === 'kube-controller-manager')!;
  await manager.restart({ pin: `${gate}=true` });
  say('pinned');
  await turn('Off');
  await new Promise((r) => setTimeout(r, 4000));
  const held = await until(kube, (f) => f?.status?.transition?.tasks[0]?.reason === 'OldValueInUse', 'straggler');
  say(held.status?.transition?.tasks[0]?.message);
  expect(await users()).toBe(5);
  await manager.restart();
  say('released');
  const offAt = await until(kube, (f) => f?.status?.state === 'Off', 'Off');
  expect(await users()).toBe(0);
  say(JSON.stringify(offAt.status?.history));
  await turn('On');
  await until(kube, (f) => f?.status?.state === 'On', 'On');
  expect(await users()).toBe(0);
  say(
    await restoreBackup(kube, {
      namespace: 'kube-system',
      feature: gate.toLowerCase(),
      transition: offAt.status?.history?.[0]?.id ?? '',
    }),
  );
  expect(await users()).toBe(5);
  say(await listUses(kube, 'kube-system', gate));
  say(
    JSON.stringify(
      await kube
        .resource({ group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true })
        .list({ namespace: 'kube-system' })
        .then((l) => l.items.map((e) => [e.reason, e.message, e.count])),
      null,
      0,
    ),
  );
  // API server restart in the middle
  await turn('Off');
  await cluster.components.find((c) => c.name === 'kube-apiserver')!.restart();
  await until(kube, (f) => f?.status?.state === 'Off', 'Off');
  expect(await users()).toBe(0);
  const feature = await findFeature(kube, gate, 'kube-system');
  say(JSON.stringify(feature).length, 'bytes', JSON.stringify(feature?.status?.conditions, null, 1));
  stop.abort(new Error('x'));
  await server.stop?.();
  await cluster.stop();
}, 120000);
