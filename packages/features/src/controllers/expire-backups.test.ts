import { InformerFactory, silentLog } from '@slipway/kube';
import { expect, test } from 'vitest';
import { Feature, type FeatureStatus } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { apiVersion } from '../api/group.js';
import { listBackups } from '../operations/backups.js';
import { Backup } from '../tasks/backup.js';
import { aCluster } from '../testing/a-cluster.js';
import { expireBackups } from './expire-backups.js';

const hourMs = 3_600_000;
const group = 'features.slipway.dev';
const metadata = { name: 'widgets', namespace: 'acme' };
const entry = { group: 'acme.io', resource: 'widgets', name: 'w', uid: 'u', place: ['spec', 'fast'], value: 1 };

test('expireBackups() deletes what is past its retention period, and keeps what a task at work adds to', async () => {
  const cluster = aCluster();
  const transition = { id: 'at-work', to: 'Off', tasks: [{ name: 'ClearField' }], completed: [] };
  const status = { state: 'TurningOff', backup: 'at-work', transition } as unknown as FeatureStatus;
  const spec = { gate: 'Widgets', tasks: { off: [{ name: 'ClearField', kind: 'ClearField' }] } };
  cluster.api.seed({ group, plural: 'features' }, { apiVersion, kind: 'Feature', metadata, spec, status });
  cluster.api.seed({ group, plural: 'featuredefinitions' }, { apiVersion, kind: 'FeatureDefinition', metadata, spec });
  const keep = (transition: string, retentionMs: number) =>
    new Backup(cluster.kube, { namespace: 'acme', feature: 'widgets', transition }, retentionMs).keep([entry]);
  await keep('short', 2 * hourMs);
  await keep('at-work', 2 * hourMs);
  await keep('long', 100 * hourMs);

  const informers = new InformerFactory(cluster.kube, { log: silentLog });
  const [features, definitions] = [informers.informer(Feature), informers.informer(FeatureDefinition)];
  const stopping = new AbortController();
  const leadership = { leads: () => true, onChange: () => {} };
  const run = expireBackups({
    kube: cluster.kube,
    leadership,
    features,
    definitions,
    home: 'slipway-system',
    log: silentLog,
  });
  informers.start();
  const ended = run.start(stopping.signal);
  const left = async () => (await listBackups(cluster.kube)).map((backup) => backup.transition).sort();
  await cluster.clock.advance(hourMs);
  expect(await left()).toEqual(['at-work', 'long', 'short']);
  await cluster.clock.advance(2 * hourMs);
  expect(await left()).toEqual(['at-work', 'long']);
  stopping.abort();
  await ended;
  await informers.stop();
});

test('Backup.keep() postpones the expiry with every value, and never brings it forward', async () => {
  const cluster = aCluster();
  const name = { namespace: 'acme', feature: 'widgets', transition: 't' };
  const expiresIn = async () => {
    const [backup] = await listBackups(cluster.kube);
    return (Date.parse(backup?.expiresAt ?? '') - cluster.clock.now()) / hourMs;
  };
  const keep = (value: number, hours: number) =>
    new Backup(cluster.kube, name, hours * hourMs).keep([{ ...entry, value }]);
  await keep(1, 5);
  expect(await expiresIn()).toBe(5);
  await cluster.clock.advance(hourMs);
  await keep(2, 5);
  expect(await expiresIn()).toBe(5);
  await keep(3, 1);
  expect(await expiresIn()).toBe(5);
});
