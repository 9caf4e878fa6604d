import type { Kube } from '@slipway/kube';
import { labels } from '../api/group.js';
import { expiryOf, linesOf, Secret } from '../tasks/backup.js';

/** A backup: everything that was cleared between two times that the feature was On. */
export interface BackupSummary {
  readonly namespace: string;
  readonly feature: string;
  /** Name of the backup: the id of the first transition that added to it. */
  readonly transition: string;
  /** When its first part was written. */
  readonly createdAt: string;
  /** When the feature server deletes it. */
  readonly expiresAt: string;
  readonly values: number;
}

/** Which backups: those of one namespace, or of one feature in it; all when absent. */
export interface BackupSelection {
  readonly namespace?: string | undefined;
  readonly feature?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lists backups, newest first. */
export async function listBackups(kube: Kube, selection: BackupSelection = {}): Promise<readonly BackupSummary[]> {
  const backups = new Map<string, BackupSummary>();
  for (const secret of await backupSecrets(kube, selection)) {
    const { namespace = '', labels: marks = {}, creationTimestamp = '' } = secret.metadata;
    const feature = marks[labels.backup] ?? '';
    const transition = marks[labels.transition] ?? '';
    const key = [namespace, feature, transition].join('/');
    const before = backups.get(key);
    const [createdAt = ''] = [creationTimestamp, before?.createdAt ?? creationTimestamp].sort();
    const [, expiresAt = ''] = [expiryOf(secret), before?.expiresAt ?? expiryOf(secret)].sort();
    const values = (before?.values ?? 0) + linesOf(secret).length;
    backups.set(key, { namespace, feature, transition, createdAt, expiresAt, values });
  }
  return [...backups.values()].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

/** Deletes a backup with all its parts. Values that it holds cannot be restored any more. */
export async function deleteBackup(
  kube: Kube,
  { namespace, feature, transition }: Pick<BackupSummary, 'namespace' | 'feature' | 'transition'>,
  signal?: AbortSignal,
): Promise<void> {
  const secrets = await backupSecrets(kube, { namespace, feature, signal });
  // The last part first: a backup that is half deleted still begins at its first part, where it is looked for.
  for (const { metadata } of secrets
    .filter((one) => one.metadata.labels?.[labels.transition] === transition)
    .reverse()) {
    const { name = '', uid } = metadata;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await kube.resource(Secret).delete({ name, namespace }, { ...preconditions, signal });
  }
}

/** The Secrets of backups, in the order in which they were filled. */
export async function backupSecrets(kube: Kube, { namespace, feature, signal }: BackupSelection) {
  const secrets = [];
  const labelSelector = feature === undefined ? labels.backup : `${labels.backup}=${feature}`;
  const query = { labelSelector, ...(namespace !== undefined && { namespace }), signal };
  for await (const page of kube.resource(Secret).pages(query)) secrets.push(...page.items);
  return secrets.sort((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '', 'en', { numeric: true }));
}
