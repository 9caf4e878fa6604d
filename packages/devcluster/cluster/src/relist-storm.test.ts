import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, type KubernetesObject, makeInformer, KubeConfig as OfficialConfig } from '@kubernetes/client-node';
import type { ApiHandler } from '@slipway/api-server/request/request';
import { serveHttps } from '@slipway/api-server/transport/https-server';
import { InformerFactory, Kube, silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { expect, test, vi } from 'vitest';
import { issueCertificates } from './issue-certificates.js';
import { aServer, named } from './testing/a-server.js';
import { FlakyProxy } from './testing/flaky-proxy.js';

// A server and many clients of it, beside all other tests of the machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const path = '/api/v1/namespaces/default/configmaps';
/** Of each kind. By night: `SLIPWAY_STORM_INFORMERS=50`. */
const informers = Number(process.env.SLIPWAY_STORM_INFORMERS ?? 10);
const keptEvents = 100;

test('informers of ours and of the official client, all behind what is kept while writes go on, list once and agree', async () => {
  const { api, ask } = await aServer({ events: keptEvents, ageMs: -1, bytes: 1024 ** 2 });
  const lists = { count: 0 };
  const wanted = { ca: undefined, serving: undefined, admin: undefined, names: ['127.0.0.1'], nowMs: Date.now() };
  const { ca, serving, admin } = await issueCertificates(wanted);
  const { certificate, key } = serving;
  const binding = await serveHttps(countingLists(api, lists), { certificate, key, clientAuthority: ca.certificate });
  const proxy = new FlakyProxy(binding.port);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-storm-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(await proxy.listen(), ca.certificate, admin));

  const write = async (name: string) => {
    const made = await ask('POST', path, named('ConfigMap', name));
    expect(made.status).toBe(201);
  };
  for (let index = 0; index < 10; index += 1) await write(`first-${index}`);
  const clock = new ManualClock();
  const ours = await Promise.all(Array.from({ length: informers }, () => ourInformer(kubeconfig, clock)));
  const theirs = Array.from({ length: informers }, () => officialInformer(kubeconfig));
  const namesOf = [...ours.map(({ names }) => names), ...theirs.map(({ names }) => names)];
  const stored = async () => {
    const { body } = await ask('GET', path);
    return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort();
  };
  /** Lets everybody come to where all agree; writes go on while they do. */
  const untilAgreed = async (writes: number) => {
    let written = 0;
    await vi.waitFor(
      async () => {
        if (written < writes) await write(`during-${written++}`);
        await clock.advance(50);
        const names = await stored();
        expect(written).toBe(writes);
        for (const each of namesOf) expect(each()).toEqual(names);
      },
      { timeout: 50_000, interval: 1 },
    );
  };
  await untilAgreed(0);
  expect(lists.count).toBe(2 * informers);

  // All in one turn of the event loop: nobody comes back in between.
  proxy.reset();
  for (let index = 0; index < keptEvents + 50; index += 1) await write(`meanwhile-${index}`);
  lists.count = 0;
  await untilAgreed(keptEvents / 2);
  expect(lists.count).toBe(2 * informers);

  await Promise.all([...ours, ...theirs].map(({ stop }) => stop()));
  await proxy.close();
  await binding.close(0);
  rmSync(folder, { recursive: true });
});

/** The same server, which counts how often somebody lists. */
function countingLists(api: ApiHandler, lists: { count: number }): ApiHandler {
  return {
    ...api,
    async handle(request) {
      const isList = request.method === 'GET' && request.path.startsWith(path) && !request.path.includes('watch=');
      if (isList) lists.count += 1;
      return await api.handle(request);
    },
  };
}

async function ourInformer(kubeconfig: string, clock: ManualClock) {
  const kube = await Kube.connect({ kubeconfig, clock });
  const factory = new InformerFactory(kube, { log: silentLog });
  const informer = factory.informer(configMaps, { namespace: 'default' });
  factory.start();
  const names = () =>
    informer.lister
      .list()
      .map(({ metadata }) => metadata.name)
      .sort();
  return { names, stop: () => factory.stop() };
}

/** Begins again whenever it says that something went wrong, as its users are told to. */
function officialInformer(kubeconfig: string) {
  const config = new OfficialConfig();
  config.loadFromFile(kubeconfig);
  const client = config.makeApiClient(CoreV1Api);
  const informer = makeInformer<KubernetesObject>(config, path, () =>
    client.listNamespacedConfigMap({ namespace: 'default' }),
  );
  let isOver = false;
  informer.on('error', () => {
    if (!isOver) setImmediate(() => void informer.start());
  });
  void informer.start();
  const names = () =>
    informer
      .list()
      .map(({ metadata }) => metadata?.name)
      .sort();
  const stop = async () => {
    isOver = true;
    await informer.stop();
  };
  return { names, stop };
}

function kubeconfigOf(port: number, authority: string, user: { certificate: string; key: string }): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': base64(authority) };
  const credentials = {
    'client-certificate-data': base64(user.certificate),
    'client-key-data': base64(user.key),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'storm', cluster }],
    users: [{ name: 'admin', user: credentials }],
    contexts: [{ name: 'storm', context: { cluster: 'storm', user: 'admin' } }],
    'current-context': 'storm',
  });
}
