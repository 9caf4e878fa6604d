import {
  type DiscoveredResource,
  hasReason,
  type JsonPatchOp,
  type Kube,
  type KubeObject,
  StatusError,
  sleep,
} from '@slipway/kube';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import { labels, serverManager, serverNamespace } from '../api/group.js';
import { guardPrefix } from '../guards/guard-policy.js';
import { readPage, resourceNamed } from '../references/collection.js';
import { referencesOf } from '../references/embedding.js';
import { isPlaceOf, type Place, parseFieldPath, pointerOf, valueAt } from '../references/field-path.js';
import { ownersOf } from '../references/managers.js';
import { isSameValue } from '../references/used-field.js';
import { type BackupEntry, linesOf } from '../tasks/backup.js';
import { inParallel } from '../tasks/in-parallel.js';
import { backupSecrets } from './backups.js';

/** What became of the values of a backup. */
export interface RestoreResult {
  /** Values that the backup holds. */
  readonly total: number;
  readonly restored: number;
  /** The object has a value there again, which is kept. */
  readonly present: number;
  /** The object was deleted, or another one of the same name was created. */
  readonly gone: number;
  /** Values that are still missing: restoring again tries them again. */
  readonly left: readonly LeftValue[];
  /** Why the restore ended early, if so. */
  readonly failure?: unknown;
}

/** A value that could not be restored. */
export interface LeftValue {
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  /** Where in the object, as a JSON pointer. */
  readonly path: string;
  /** `Dropped`: the API server accepted the write and left the field out. `NotTried`: the restore ended early. */
  readonly reason: 'Dropped' | 'Rejected' | 'NotTried';
  readonly message: string;
}

export interface RestoreOptions {
  readonly namespace: string;
  readonly feature: string;
  readonly transition: string;
  /** Namespace of the feature server. Default: slipway-system. */
  readonly home?: string | undefined;
  /** Objects that are written at the same time. 16 when absent. */
  readonly inFlight?: number;
  /** Called after each object. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** More objects of a resource in one namespace than this are listed instead of read one by one. */
const maxReads = 50;
const pageSize = 500;
/** An API server may go on enforcing a guard for seconds after it was removed: so long, of the whole restore, it is waited for. */
const guardForgottenWithinMs = 10_000;
const askAgainAfterMs = 250;

/**
 * Puts the values of a backup back into the objects they came from, where the field
 * is absent. Nothing else of an object is changed, and an object that was deleted and
 * created anew is another object. Repeating it is harmless. A backup next to the Feature can only give back what the
 * definition there has cleared in the same namespace: whoever writes Secrets there could have made it up.
 *
 * An error that concerns one object leaves that object; any other error, and an abort, ends the
 * restore early. The result then says what is left, so that a partial restore is not taken for a complete one.
 */
export async function restoreBackup(kube: Kube, options: RestoreOptions): Promise<RestoreResult> {
  const { namespace, feature, transition, inFlight = 16, onProgress, signal = new AbortController().signal } = options;
  const { home = serverNamespace } = options;
  const secrets = await backupSecrets(kube, { namespace, feature, home, signal });
  const parts = secrets.filter((secret) => secret.metadata.labels?.[labels.transition] === transition);
  const definition = await kube.resource(FeatureDefinition).find({ namespace, name: feature }, signal);
  const outcomes = new Map<BackupEntry, Outcome>();
  const entries = parts.flatMap((secret) =>
    linesOf(secret).map((line) => {
      const entry = JSON.parse(line) as BackupEntry;
      const isTrusted = secret.metadata.namespace === home || isCleared(entry, namespace, definition?.spec);
      if (!isTrusted) outcomes.set(entry, untrusted);
      return entry;
    }),
  );
  // What was kept last for a place is what the object held when it was cleared.
  const latest = [...new Map(entries.map((entry) => [placeKey(entry), entry])).values()];
  const trusted = latest.filter((entry) => !outcomes.has(entry));
  const patience = { clock: kube.clock, signal };
  let done = 0;
  const restore = async (resource: DiscoveredResource, wanted: readonly BackupEntry[], listed?: KubeObject) => {
    signal.throwIfAborted();
    const client = kube.resource(resource);
    let known = listed;
    for (const entry of wanted) {
      const [outcome, object] = await restoreEntry(client, entry, known, patience);
      known = object;
      outcomes.set(entry, outcome);
    }
    done += wanted.length;
    onProgress?.(done, trusted.length);
  };

  let failure: unknown;
  try {
    const discovery = await kube.discover(signal);
    for (const group of groupBy(trusted, ({ group, resource, namespace: of }) => [group, resource, of].join('/'))) {
      const resource = resourceNamed(discovery, group[0] as BackupEntry);
      if (!resource) for (const entry of group) outcomes.set(entry, 'gone');
      else await restoreGroup(kube, { resource, group, inFlight, signal }, restore);
    }
  } catch (error) {
    failure = error;
  }
  return resultOf(latest, outcomes, failure);
}

type Restore = (resource: DiscoveredResource, wanted: readonly BackupEntry[], listed?: KubeObject) => Promise<void>;

/** Restores values of one resource in one namespace. */
async function restoreGroup(
  kube: Kube,
  {
    resource,
    group,
    inFlight,
    signal,
  }: { resource: DiscoveredResource; group: readonly BackupEntry[]; inFlight: number; signal: AbortSignal },
  restore: Restore,
): Promise<void> {
  const byUid = new Map(groupBy(group, ({ uid }) => uid).map((entries) => [entries[0]?.uid ?? '', entries]));
  if (byUid.size > maxReads) {
    const namespace = group[0]?.namespace;
    let token: string | undefined;
    do {
      const page = await readPage(kube, resource, pageSize, token, signal, namespace);
      await inParallel(page.items, inFlight, async (object) => {
        const wanted = byUid.get(object.metadata.uid ?? '');
        if (!wanted) return;
        byUid.delete(object.metadata.uid ?? '');
        await restore(resource, wanted, object);
      });
      token = page.continue;
    } while (token !== undefined && byUid.size > 0);
  }
  // Objects that no page held may be new in the list, or deleted: reading them tells.
  await inParallel([...byUid.values()], inFlight, (wanted) => restore(resource, wanted));
}

function resultOf(
  entries: readonly BackupEntry[],
  outcomes: ReadonlyMap<BackupEntry, Outcome>,
  failure: unknown,
): RestoreResult {
  const all = entries.map((entry) => ({ entry, outcome: outcomes.get(entry) ?? notTried }));
  const count = (wanted: Outcome) => all.filter(({ outcome }) => outcome === wanted).length;
  return {
    total: entries.length,
    restored: count('restored'),
    present: count('present'),
    gone: count('gone'),
    left: all.flatMap(({ entry, outcome }) =>
      typeof outcome === 'string' ? [] : [{ ...nameOf(entry), path: pointerOf(entry.place), ...outcome }],
    ),
    ...(failure !== undefined && { failure }),
  };
}

type Outcome = 'restored' | 'present' | 'gone' | Pick<LeftValue, 'reason' | 'message'>;

const notTried: Outcome = { reason: 'NotTried', message: 'the restore ended before it' };
/** A user who may write Secrets next to a Feature could have made it, and the user who restores would write it. */
const untrusted: Outcome = {
  reason: 'Rejected',
  message: 'no definition in the namespace of the backup clears this field there',
};
const dropped: Outcome = {
  reason: 'Dropped',
  message: 'the API server left the field out, as it does while the gate is off',
};

/** What all values of a restore wait with. */
interface Patience extends Pick<Kube, 'clock'> {
  readonly signal: AbortSignal;
  /** Until when a guard that denies may be one that the API server has yet to forget; set by the first that denies. */
  guardUntilMs?: number;
}

/** Whether a guard denied a write, after a pause in which it may have been forgotten; false when that has lasted too long. */
async function waitsForGuard(error: StatusError, patience: Patience): Promise<boolean> {
  const { clock, signal } = patience;
  if (!error.message.includes(guardPrefix)) return false;
  patience.guardUntilMs ??= clock.monotonicMs() + guardForgottenWithinMs;
  if (clock.monotonicMs() >= patience.guardUntilMs) return false;
  await sleep(clock, askAgainAfterMs, signal);
  return true;
}

/** What became of one value, and the object as it is now, if that is known. */
async function restoreEntry(
  client: ReturnType<Kube['resource']>,
  entry: BackupEntry,
  listed: KubeObject | undefined,
  patience: Patience,
): Promise<readonly [Outcome, KubeObject?]> {
  const { signal } = patience;
  const ref = { name: entry.name, namespace: entry.namespace };
  let object = listed ?? (await client.find(ref, signal));
  for (let races = 0; ; ) {
    if (!object || object.metadata.uid !== entry.uid) return ['gone'];
    const place = currentPlace(entry, object);
    if (!place) return ['gone', object];
    if (isChosen(entry, place, object)) return ['present', object];
    try {
      const written = await client.json(ref, restoringPatch(object, place, entry.value), { signal });
      return [isUnset(entry, valueAt(place, written)) ? dropped : 'restored', written];
    } catch (error) {
      if (hasReason(error, 'NotFound')) return ['gone'];
      if (!(error instanceof StatusError) || ![403, 409, 422].includes(error.code)) throw error;
      const isGuarded = await waitsForGuard(error, patience);
      const current = await client.find(ref, signal);
      const raced = current?.metadata.resourceVersion !== object.metadata.resourceVersion;
      if (raced) races += 1;
      if (!isGuarded && (!raced || races > 5)) return [{ reason: 'Rejected', message: error.message }];
      object = current;
    }
  }
}

/** Whether a definition in `namespace` clears such a value of an object there. */
function isCleared(entry: BackupEntry, namespace: string, definition: FeatureDefinitionSpec | undefined): boolean {
  if (entry.namespace !== namespace) return false;
  return referencesOf(definition ?? {}).some(
    ({ group, resource, path }) =>
      group === entry.group &&
      resource === entry.resource &&
      path !== undefined &&
      isPlaceOf(parseFieldPath(path), entry.place),
  );
}

/** Managers whose write left the field to the API server's defaulting: the feature server, and clients by their user agent. */
const ours: readonly string[] = [serverManager, 'slipway'];

/** Whether a client set the stored value. One that only the API server's defaulting set has no owner but us. */
function isChosen(entry: BackupEntry, place: Place, object: KubeObject): boolean {
  const value = valueAt(place, object);
  if (value === undefined) return false;
  return !isUnset(entry, value) || ownersOf(object, place).some((owner) => !ours.includes(owner));
}

/** Whether a value is the one that is stored when none is set. */
function isUnset({ default: defaultValue }: BackupEntry, value: unknown): boolean {
  return value === undefined || (defaultValue !== undefined && isSameValue(value, defaultValue));
}

/** The place of a value in its object. List items count by their names, since their positions shift. */
function placeKey({ uid, place, items }: BackupEntry): string {
  return JSON.stringify([uid, place.map((key, position) => items?.[String(position)] ?? key)]);
}

function nameOf({ group, resource, namespace, name }: BackupEntry) {
  const kind = group === '' ? resource : `${resource}.${group}`;
  return { resource: kind, ...(namespace !== undefined && { namespace }), name };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
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
