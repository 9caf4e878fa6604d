import { hasReason, type JsonPatchOp, type Kube, type KubeObject, StatusError } from '@slipway/kube';
import { labels, serverManager } from '../api/group.js';
import { resourceNamed } from '../references/collection.js';
import { type Place, pointerOf, valueAt } from '../references/field-path.js';
import { ownersOf } from '../references/managers.js';
import { isSameValue } from '../references/used-field.js';
import { type BackupEntry, linesOf, Secret } from '../tasks/backup.js';

/** A backup of the values that one transition cleared. */
export interface BackupSummary {
  readonly transition: string;
  /** When its first part was written. */
  readonly createdAt: string;
  readonly values: number;
}

/** What became of each value: `dropped` means that the API server took the write and left the field out. */
export interface RestoreResult {
  readonly restored: number;
  /** The object has a value there again; it is left alone. */
  readonly present: number;
  /** The object is gone, or is another one of the same name. */
  readonly gone: number;
  readonly dropped: number;
  readonly refused: readonly string[];
}

/** The backups of a feature, newest first. */
export async function listBackups(kube: Kube, namespace: string, feature: string): Promise<readonly BackupSummary[]> {
  const byTransition = new Map<string, BackupSummary>();
  for (const secret of await backupSecrets(kube, namespace, feature)) {
    const transition = secret.metadata.labels?.[labels.transition] ?? '';
    const before = byTransition.get(transition);
    const createdAt = secret.metadata.creationTimestamp ?? '';
    byTransition.set(transition, {
      transition,
      createdAt: before && before.createdAt < createdAt ? before.createdAt : createdAt,
      values: (before?.values ?? 0) + linesOf(secret).length,
    });
  }
  return [...byTransition.values()].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

/**
 * Puts the values that a transition cleared back into the objects they came from,
 * where the field is absent. Nothing else of an object is changed, and an object
 * that was deleted and made anew is another object. Repeating it is harmless.
 */
export async function restoreBackup(
  kube: Kube,
  options: {
    readonly namespace: string;
    readonly feature: string;
    readonly transition: string;
    readonly signal?: AbortSignal;
  },
): Promise<RestoreResult> {
  const { namespace, feature, transition, signal } = options;
  const discovery = await kube.discover(signal);
  const secrets = await backupSecrets(kube, namespace, feature);
  const entries = secrets
    .filter((secret) => secret.metadata.labels?.[labels.transition] === transition)
    .flatMap(linesOf)
    .map((line) => JSON.parse(line) as BackupEntry);
  const result = { restored: 0, present: 0, gone: 0, dropped: 0, refused: [] as string[] };
  // What was kept last for a place is what the object held when it was cleared.
  const latest = new Map(entries.map((entry) => [JSON.stringify([entry.uid, entry.place]), entry]));
  for (const entry of latest.values()) {
    const resource = resourceNamed(discovery, entry);
    const outcome = resource ? await restoreEntry(kube.resource(resource), entry, signal) : 'gone';
    if (typeof outcome === 'string') result[outcome]++;
    else result.refused.push(outcome.message);
  }
  return result;
}

async function backupSecrets(kube: Kube, namespace: string, feature: string) {
  const secrets = [];
  const labelSelector = `${labels.backup}=${feature}`;
  for await (const page of kube.resource(Secret).pages({ namespace, labelSelector })) secrets.push(...page.items);
  return secrets.sort((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '', 'en', { numeric: true }));
}

type Outcome = 'restored' | 'present' | 'gone' | 'dropped' | { readonly message: string };

async function restoreEntry(
  client: ReturnType<Kube['resource']>,
  entry: BackupEntry,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const ref = { name: entry.name, namespace: entry.namespace };
  for (let races = 0; ; races++) {
    const object = await client.find(ref, signal);
    if (!object || object.metadata.uid !== entry.uid) return 'gone';
    const place = currentPlace(entry, object);
    if (!place) return 'gone';
    if (isChosen(entry, place, object)) return 'present';
    try {
      const written = await client.json(ref, restoringPatch(object, place, entry.value), { signal });
      return isUnset(entry, valueAt(place, written)) ? 'dropped' : 'restored';
    } catch (error) {
      if (hasReason(error, 'NotFound')) return 'gone';
      if (!(error instanceof StatusError) || ![403, 409, 422].includes(error.code)) throw error;
      const current = await client.find(ref, signal);
      const raced = current?.metadata.resourceVersion !== object.metadata.resourceVersion;
      if (!raced || races >= 5) return { message: `${entry.resource} ${entry.name}: ${error.message}` };
    }
  }
}

/** Managers whose write left the field to the API server's defaulting: the feature server, and clients by their user agent. */
const ours: readonly string[] = [serverManager, 'slipway'];

/** Whether somebody set the value that is there now. One that only the API server's defaulting set has no owner but us. */
function isChosen(entry: BackupEntry, place: Place, object: KubeObject): boolean {
  const value = valueAt(place, object);
  if (value === undefined) return false;
  return !isUnset(entry, value) || ownersOf(object, place).some((owner) => !ours.includes(owner));
}

/** Whether a value is what is there when nobody sets one. */
function isUnset({ default: defaultValue }: BackupEntry, value: unknown): boolean {
  return value === undefined || (defaultValue !== undefined && isSameValue(value, defaultValue));
}

/** Where the value belongs now: list items are found by their names, since they may have moved. */
function currentPlace(entry: BackupEntry, object: KubeObject): Place | undefined {
  const place: (string | number)[] = [];
  for (const [position, key] of entry.place.entries()) {
    const name = entry.items?.[String(position)];
    const items = valueAt(place, object);
    if (name === undefined) {
      if (typeof key === 'number' && !Array.isArray(items)) return undefined;
      place.push(key);
      continue;
    }
    const index = Array.isArray(items) ? items.findIndex((item: { name?: unknown }) => item?.name === name) : -1;
    if (index < 0) return undefined;
    place.push(index);
  }
  return place;
}

/** Adds the value, and the parents that are missing on the way to it, to exactly this version of the object. */
function restoringPatch(object: KubeObject, place: Place, value: unknown): readonly JsonPatchOp[] {
  const missing = place.slice(0, -1).map((_key, index) => place.slice(0, index + 1));
  return [
    { op: 'test', path: '/metadata/uid', value: object.metadata.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
    ...missing
      .filter((parent) => valueAt(parent, object) === undefined)
      .map((parent) => ({ op: 'add', path: pointerOf(parent), value: {} }) as const),
    { op: 'add', path: pointerOf(place), value },
  ];
}
