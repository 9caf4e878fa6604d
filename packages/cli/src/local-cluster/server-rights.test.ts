import { join } from 'node:path';
import { scaledClock, startCluster } from '@slipway/devcluster';
import {
  apiVersion,
  demandLifecycle,
  Feature,
  FeatureDefinition,
  labels,
  maxUnavailableStatefulSet,
} from '@slipway/features';
import { type Kube, silentLog } from '@slipway/kube';
import { expect, test, vi } from 'vitest';
import { type AuditEvent, readAuditLog } from '../testing/audited-verbs.js';
import { testFolder } from '../testing/test-folder.js';
import { startFeatures } from './features.js';
import { serverUser } from './server-rights.js';

/** Declares a gate that was only reported until then, and waits until its Feature says so. */
async function declareReported(kube: Kube): Promise<void> {
  const discovered = { namespace: 'kube-system', labelSelector: labels.discovered };
  const patient = { timeout: 20_000, interval: 100 };
  const { metadata, spec } = await vi.waitFor(async () => {
    const [feature] = (await kube.resource(Feature).list(discovered)).items;
    if (!feature) throw new Error('no gate was reported');
    return feature;
  }, patient);
  const { name = '' } = metadata;
  const { namespace } = discovered;
  const components = [{ name: 'kube-apiserver', required: false, roster: 'Self' as const }];
  const definition = { metadata: { name, namespace }, spec: { gate: spec.gate, components } };
  await kube.resource(FeatureDefinition).create({ apiVersion, kind: 'FeatureDefinition', ...definition });
  await vi.waitFor(async () => {
    const { metadata } = await kube.resource(Feature).get({ name, namespace });
    expect(metadata.labels ?? {}).not.toHaveProperty([labels.discovered]);
  }, patient);
}

/** What a feature waits for, it waits for in the time of the cluster. */
const timesAsFast = 5;

test('a feature goes through its whole life with the rights that slipway install gives a server', async () => {
  const folder = testFolder();
  const auditLog = join(folder, 'audit.jsonl');
  const stopping = new AbortController();
  const cluster = await startCluster({
    nodes: 1,
    version: '1.34',
    auditLog,
    log: silentLog,
    clock: scaledClock(timesAsFast),
  });
  try {
    await Promise.all([cluster.ready(), startFeatures(cluster, stopping.signal)]);
    await declareReported(cluster.kube());
    const { object: definition } = maxUnavailableStatefulSet({ dynamic: 'Live' });
    await demandLifecycle({ kube: cluster.kube(), definition, withinMs: 60_000 * timesAsFast });
  } finally {
    stopping.abort();
    await cluster.stop();
  }
  const events = readAuditLog(auditLog);
  const own = events.filter(({ user }) => user.username === serverUser.name);
  const refused = own.filter(({ responseStatus }) => responseStatus?.code === 403);
  expect(refused.map(({ responseStatus }) => responseStatus?.message)).toEqual([]);
  expect(own.flatMap(({ user }) => user.groups)).not.toContain('system:masters');
  // It is this account that carries the feature through its life, and clears what users wrote.
  const changes = events.filter(({ verb }) => ['patch', 'update'].includes(verb));
  const changed = (resource: string, subresource?: string) =>
    changes.filter(({ objectRef }) => objectRef?.resource === resource && objectRef.subresource === subresource);
  const writers = (all: readonly AuditEvent[]) => new Set(all.map(({ user }) => user.username));
  expect(writers(changed('features', 'status'))).toEqual(new Set([serverUser.name]));
  expect(writers(changed('statefulsets'))).toContain(serverUser.name);
}, 120_000);
