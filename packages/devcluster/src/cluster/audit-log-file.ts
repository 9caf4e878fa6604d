import { createWriteStream } from 'node:fs';
import type { Logger } from '@slipway/kube';
import type { AuditEvent, AuditSink } from '../api-server/audit/audit-log.js';
import { ClusterStartError } from './cluster-start-error.js';

/**
 * Appends audit events to a file, one JSON line each, as `--audit-log-path` of a kube-apiserver does.
 * A file that cannot be written to later is said once; requests go on.
 * @throws ClusterStartError BadOption when it cannot be opened
 */
export async function auditLogFile(path: string, log: Logger): Promise<AuditSink> {
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 });
  await new Promise<void>((opened, failed) => file.once('open', () => opened()).once('error', failed)).catch(
    (error) => {
      throw new ClusterStartError(
        'BadOption',
        `--audit-log ${path}: ${error.message}`,
        'name a file that can be written to',
      );
    },
  );
  file.once('error', (error) => log.error('the audit log cannot be written any more', { path, error }));
  return (event: AuditEvent) => {
    if (!file.errored) file.write(`${JSON.stringify(event)}\n`);
  };
}
