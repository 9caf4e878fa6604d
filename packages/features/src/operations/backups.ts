import { hasReason, type Kube, type KubeObject } from '@slipway/kube';
import { labels, serverNamespace } from '../api/group.js';
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
  /** Namespace of the feature server, which has the backups that concern more than one namespace. Default: slipway-system. */
  readonly home?: string | undefined;
  /** Only those kept in this namespace, of Features of any. */
  readonly storedIn?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Lists backups, newest first. */
export async function listBackups(kube: Kube, selection: BackupSelection = {}): Promise<readonly BackupSummary[]> {
  const backups = new Map<string, BackupSummary>();
  for (const secret of await backupSecrets(kube, selection)) {
    const { labels: marks = {}, creationTimestamp = '' } = secret.metadata;
    const namespace = namespaceOf(secret, selection.home);
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
  options: Pick<BackupSelection, 'home' | 'storedIn' | 'signal'> = {},
): Promise<void> {
  const { signal } = options;
  const secrets = await backupSecrets(kube, { ...options, namespace, feature });
  // The last part first: a backup that is half deleted still begins at its first part, where it is looked for.
  for (const { metadata } of secrets
    .filter((one) => one.metadata.labels?.[labels.transition] === transition)
    .reverse()) {
    const { name = '', namespace: storedIn, uid } = metadata;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await kube.resource(Secret).delete({ name, namespace: storedIn }, { ...preconditions, signal });
  }
}

/** The Secrets of backups, in the order in which they were filled. */
export async function backupSecrets(kube: Kube, selection: BackupSelection) {
  const { namespace, feature, home = serverNamespace, storedIn, signal } = selection;
  const mark = feature === undefined ? labels.backup : `${labels.backup}=${feature}`;
  const read = async (where: string | undefined, labelSelector: string) => {
    const secrets = [];
    const query = { labelSelector, ...(where !== undefined && { namespace: where }), signal };
    for await (const page of kube.resource(Secret).pages(query)) secrets.push(...page.items);
    return secrets.filter((secret) => namespace === undefined || namespaceOf(secret, home) === namespace);
  };
  const found = await read(storedIn ?? namespace, mark);
  if (storedIn === undefined && namespace !== undefined && namespace !== home) {
    found.push(...(await read(home, `${mark},${labels.backupNamespace}=${namespace}`).catch(noneForbidden)));
  }
  return found.sort((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '', 'en', { numeric: true }));
}

/** The namespace of the Feature. Only where the feature server keeps backups of others does a Secret say so itself. */
function namespaceOf({ metadata }: KubeObject, home = serverNamespace): string {
  const { namespace = '', labels: marks = {} } = metadata;
  return (namespace === home ? marks[labels.backupNamespace] : undefined) ?? namespace;
}

/** Who reads no Secrets of the feature server has none of these backups. */
function noneForbidden(error: unknown): never[] {
  if (hasReason(error, 'Forbidden')) return [];
  throw error;
}
