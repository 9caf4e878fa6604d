import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '@slipway/api-server/audit/audit-log';
import { Events, silentLog } from '@slipway/kube';
import { afterAll, expect, test } from 'vitest';
import { auditLogFile } from './audit-log-file.js';
import { startCluster } from './start-cluster.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('AuditLogFile has written every event once it is closed, and takes no more', async () => {
  const path = join(folder, 'alone.jsonl');
  const file = await auditLogFile(path, silentLog);
  const ids = Array.from({ length: 20_000 }, (_, index) => `${index}`);
  for (const auditID of ids) file.append({ auditID } as AuditEvent);
  await file.close();
  file.append({ auditID: 'late' } as AuditEvent);
  await file.close();
  expect(eventsIn(path).map(({ auditID }) => auditID)).toEqual(ids);
});

test('Cluster has every request that it answered in its audit log once it has stopped', async () => {
  const auditLog = join(folder, 'cluster.jsonl');
  const cluster = await startCluster({ auditLog, log: silentLog });
  const events = cluster.kube().resource(Events);
  const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
  await Promise.all(names.map((name) => events.find({ namespace: 'default', name })));
  await cluster.stop();
  const asked = new Set(eventsIn(auditLog).map(({ objectRef }) => objectRef?.name));
  expect(names.filter((name) => !asked.has(name))).toEqual([]);
});

function eventsIn(path: string): readonly AuditEvent[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
