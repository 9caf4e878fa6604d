import { createWriteStream } from 'node:fs';
import type { AuditEvent } from '@slipway/api-server/audit/audit-log';
import type { Logger } from '@slipway/kube';
import { ClusterStartError } from './cluster-start-error.js';

export interface AuditLogFile {
  append(event: AuditEvent): void;
  /** Resolves once all that was appended is in the file, or the file has failed. */
  close(): Promise<void>;
}

/**
 * Appends audit events to a file, one JSON line each, as `--audit-log-path` of a kube-apiserver does.
 * A file that cannot be written to later is said once; requests go on.
 * @throws ClusterStartError BadOption when it cannot be opened
 */
export async function auditLogFile(path: string, log: Logger): Promise<AuditLogFile> {
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
  return {
    append(event) {
      if (!file.errored && !file.writableEnded) file.write(`${JSON.stringify(event)}\n`);
    },
    close() {
      return new Promise((closed) => {
        if (file.closed) return closed();
        file.once('close', () => closed());
        if (!file.destroyed) file.end();
      });
    },
  };
}
