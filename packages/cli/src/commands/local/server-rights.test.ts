import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scaledClock, startCluster } from '@slipway/devcluster';
import { demandLifecycle, maxUnavailableStatefulSet } from '@slipway/features';
import { silentLog } from '@slipway/kube';
import { expect, test } from 'vitest';
import { startFeatures } from './features.js';
import { serverUser } from './server-rights.js';

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
}

/** What a feature waits for, it waits for in the time of the cluster. */
const timesAsFast = 5;

test('a feature goes through its whole life with the rights that slipway install gives a server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-rights-'));
  const auditLog = join(folder, 'audit.jsonl');
  const stopping = new AbortController();
  const cluster = await startCluster({ nodes: 1, auditLog, log: silentLog, clock: scaledClock(timesAsFast) });
  try {
    await Promise.all([cluster.ready(), startFeatures(cluster, stopping.signal)]);
    const { object: definition } = maxUnavailableStatefulSet({ dynamic: 'Live' });
    await demandLifecycle({ kube: cluster.kube(), definition, withinMs: 60_000 * timesAsFast });
  } finally {
    stopping.abort();
    await cluster.stop();
  }
  const lines = readFileSync(auditLog, 'utf8').trim().split('\n');
  const events = lines.map((line): AuditEvent => JSON.parse(line));
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
  rmSync(folder, { recursive: true });
}, 120_000);
