import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BalloonPolicy, NodeSize } from '@slipway/balloons';
import { startCluster } from '@slipway/devcluster';
import { installFeatureCrds } from '@slipway/features';
import { apiVersionOf, type Kube, silentLog } from '@slipway/kube';
import { expect, test, vi } from 'vitest';
import { testFolder } from '../testing/test-folder.js';
import { balloonUser } from './balloon-rights.js';
import { startBalloons } from './balloons.js';

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code: number };
}

test('a node is resized, and all of it undone, with the rights that slipway install gives a balloon controller', async () => {
  const folder = testFolder();
  const auditLog = join(folder, 'audit.jsonl');
  const stopping = new AbortController();
  const nodeCapacity = { cpu: '16', memory: '64Gi', pods: '110' };
  const cluster = await startCluster({ nodes: 1, nodeCapacity, auditLog, log: silentLog });
  try {
    const kube = cluster.kube();
    await installFeatureCrds(kube);
    await Promise.all([cluster.ready(), startBalloons(undefined)(cluster, stopping.signal)]);
    await resizeAndUndo(kube);
  } finally {
    stopping.abort();
    await cluster.stop();
  }
  const lines = readFileSync(auditLog, 'utf8').trim().split('\n');
  const events = lines.map((line): AuditEvent => JSON.parse(line));
  const own = events.filter(({ user }) => user.username === balloonUser.name);
  const refused = own.filter(({ responseStatus }) => responseStatus?.code === 403);
  expect(refused.map(({ verb, objectRef }) => [verb, objectRef])).toEqual([]);
  expect(own.flatMap(({ user }) => user.groups)).not.toContain('system:masters');
  // It is this account that resizes the balloon, and says what became of it.
  const writersOf = (resource: string, subresource: string) => {
    const changes = events.filter(({ verb }) => ['patch', 'update'].includes(verb));
    const those = changes.filter(({ objectRef: at }) => at?.resource === resource && at.subresource === subresource);
    return [...new Set(those.map(({ user }) => user.username))];
  };
  expect(writersOf('pods', 'resize')).toEqual([balloonUser.name]);
  expect(writersOf('nodesizes', 'status')).toEqual([balloonUser.name]);
}, 120_000);

/** Gives the node a balloon, lets it grow and shrink, and takes it away again. */
async function resizeAndUndo(kube: Kube): Promise<void> {
  const [policies, sizes] = [kube.resource(BalloonPolicy), kube.resource(NodeSize)];
  const named = { name: 'all' };
  const kind = { apiVersion: apiVersionOf(BalloonPolicy), kind: BalloonPolicy.kind };
  const until = (isSo: () => Promise<boolean>) =>
    vi.waitFor(async () => expect(await isSo(), String(isSo)).toBe(true), 30_000);
  const sized = (cpu: string) => until(async () => (await sizes.find({ name: 'n1' }))?.status?.size?.cpu === cpu);
  await policies.create({ ...kind, metadata: named, spec: {} });
  await until(async () => (await sizes.find({ name: 'n1' }))?.status?.balloon !== undefined);
  for (const cpu of ['4', '8']) {
    const size = { cpu, memory: '16Gi' };
    await sizes.mutate({ name: 'n1' }, (draft) => ({ ...draft, spec: { mode: 'Size', size, fence: 'Always' } }));
    await sized(cpu);
  }
  await policies.delete(named);
  await until(async () => (await policies.find(named)) === undefined);
}
