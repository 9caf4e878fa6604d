import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BalloonMetrics,
  BalloonPolicy,
  balloonControllers,
  balloonGate,
  balloonManifests,
  controllerUser,
  HostPartition,
  installBalloonCrds,
  NodeSize,
  type NodeSizeSpec,
  ordinaryInstallation,
} from '@slipway/balloons';
import { type Cluster, startCluster } from '@slipway/devcluster';
import type { Reporting } from '@slipway/feature-gates';
import { FeatureUse, installFeatureCrds } from '@slipway/features';
import { apiVersionOf, type Kube, type KubeObject, type Logger, type ResourceRef, silentLog } from '@slipway/kube';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readAuditLog } from '../testing/audited-verbs.js';

// The balloon controller with the rights that `slipway install` gives it, and with no others.

const complaints: string[] = [];
const note = (message: string, fields: object = {}) =>
  void complaints.push(`${message} ${Object.values(fields).join(' ')}`);
const log: Logger = { ...silentLog, warn: note, error: note };
const stopping = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'slipway-rights-'));
const auditLog = join(folder, 'audit.jsonl');
const { namespace, serviceAccount } = ordinaryInstallation;
let cluster: Cluster;
let admin: Kube;
let work: Promise<void>;
let metrics: BalloonMetrics;
let reporting: Reporting;

beforeAll(async () => {
  const nodeCapacity = { cpu: '16', memory: '64Gi', pods: '110' };
  cluster = await startCluster({ nodes: 2, nodeCapacity, auditLog, log: silentLog });
  admin = cluster.kube();
  await cluster.ready();
  await Promise.all([installBalloonCrds(admin), installFeatureCrds(admin)]);
  await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const manifest of balloonManifests()) await make(manifest);
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const kube = cluster.kube({ name: controllerUser(ordinaryInstallation), groups });
  const lease = { namespace, name: serviceAccount, identity: 'test' };
  metrics = new BalloonMetrics(kube.clock);
  const gate = balloonGate();
  const told = { namespace: ordinaryInstallation.balloons, instance: 'test', startWithinMs: 0, log: note };
  reporting = gate.startReporting({ transport: kube.transport, ...told });
  work = Promise.resolve(balloonControllers({ kube, lease, log, metrics, gate }).start(stopping.signal));
}, 60_000);
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

test('it gives nodes balloons, resizes them, splits machines and takes all of it away again', async () => {
  const metadata = { name: 'all' };
  await admin.resource(BalloonPolicy).create({ ...kindOf(BalloonPolicy), metadata, spec: { priorityMode: 'Polite' } });
  await until(async () => (await sizeOf('n1'))?.status?.balloon !== undefined);
  await ask('n1', { mode: 'Size', size: { cpu: '4', memory: '16Gi' }, fence: 'Always' });
  await until(async () => (await sizeOf('n1'))?.status?.size?.cpu === '4');
  const members = [{ node: 'n1' }, { node: 'n2' }];
  await admin
    .resource(HostPartition)
    .create({ ...kindOf(HostPartition), metadata: { name: 'lab' }, spec: { host: 'lab', members } });
  await until(async () => (await sizeOf('n2'))?.status?.size?.cpu === '8');
  await admin.resource(BalloonPolicy).delete(metadata);
  await until(async () => (await admin.resource(BalloonPolicy).find(metadata)) === undefined);
  expect(complaints.filter((line) => /forbidden|denied/i.test(line))).toEqual([]);
}, 90_000);

test('it measures what pods really use, and reports its gate', async () => {
  await until(async () => metrics.page().includes('slipway_node_usage{node="n1"'));
  await until(async () => {
    const { items } = await admin.resource(FeatureUse).list({ namespace: 'kube-system' });
    return items.some(({ spec }) => spec.component === 'slipway-balloons');
  });
  expect(reporting.failures).toBe(0);
}, 60_000);

test('it was denied nothing', async () => {
  await stop();
  const user = controllerUser(ordinaryInstallation);
  const own = readAuditLog(auditLog).filter(({ user: { username } }) => username === user);
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
});

let stopped: Promise<void> | undefined;
function stop(): Promise<void> {
  stopped ??= (async () => {
    stopping.abort();
    await Promise.all([work, reporting.stop()]);
    await cluster.stop();
  })();
  return stopped;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => expect(await isSo(), `${isSo} ${complaints.slice(-5).join('\n')}`).toBe(true), 30_000);
}

function sizeOf(name: string): Promise<NodeSize | undefined> {
  return admin.resource(NodeSize).find({ name });
}

async function ask(name: string, spec: NodeSizeSpec): Promise<void> {
  await admin.resource(NodeSize).mutate({ name }, (draft) => ({ ...draft, spec }));
}

function kindOf(resource: ResourceRef) {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

async function make(manifest: KubeObject): Promise<void> {
  const [version = '', group = ''] = manifest.apiVersion.split('/').reverse();
  const found = (await admin.discover()).find({ group, version, kind: manifest.kind });
  if (!found) throw new Error(`the cluster does not serve ${manifest.kind}`);
  await admin.resource(found).create(manifest);
}
