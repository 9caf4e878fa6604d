import { hasReason, type Kube, type KubeObject, type ObjectRef, type ResourceRef } from '@slipway/kube';
import { durationMs } from '../api/duration.js';
import type { FeatureSpec } from '../api/feature.js';
import { labels } from '../api/group.js';

/** A value that was taken out of an object, with what is needed to put it back. */
export interface BackupEntry {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** Keys and indexes from the root of the object to the value. */
  readonly place: readonly (string | number)[];
  /** Names of the list items on the way, by their position in `place`: indexes may shift, names do not. */
  readonly items?: Readonly<Record<string, string>>;
  readonly value: unknown;
  /** What the API server's defaulting sets there: a value that no user chose, so that a restore replaces it. */
  readonly default?: unknown;
}

export const Secret: ResourceRef<KubeObject & { data?: Record<string, string>; type?: string }> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

/** Key of the values in a backup Secret: one JSON object per line. */
export const backupKey = 'values.ndjson';

/** A Secret holds at most 1 MiB, in base64 and with everything around it. */
const chunkBytes = 640 * 1024;
const mostBytes = 5 * 1024 * 1024;

/** The values taken are more than a backup may hold. */
export class BackupTooLargeError extends Error {
  override readonly name = 'BackupTooLargeError';

  constructor(bytes: number) {
    super(`the values to be cleared are ${Math.ceil(bytes / 1024)} KiB, and a backup holds ${mostBytes / 1024} KiB`);
  }
}

/** Which backup of which feature. */
export interface BackupName {
  readonly namespace: string;
  readonly feature: string;
  /** Name of the backup: the id of the first transition that added to it. */
  readonly transition: string;
  /** Namespace of its Secrets: that of the Feature when absent. */
  readonly storedIn?: string | undefined;
}

/** How long a backup is kept that says nothing else. */
export const defaultRetentionMs = 90 * 24 * 3_600_000;

/** Returns how long the backups of a feature are kept after their last value was written, in milliseconds. */
export function retentionMs({ backupRetention }: FeatureSpec): number {
  return durationMs(backupRetention, defaultRetentionMs);
}

/**
 * Keeps values before they are taken away: appended to Secrets that only those read who could read the values, and durable once `keep` returns. Values it holds already are not written again,
 * so that a page may be repeated.
 */
export class Backup {
  readonly #kube: Kube;
  readonly #name: BackupName;
  readonly #retentionMs: number;
  #chunks: { readonly ref: ObjectRef; readonly lines: readonly string[] }[] | undefined;
  #held = new Set<string>();

  constructor(kube: Kube, name: BackupName, retentionMs = defaultRetentionMs) {
    this.#kube = kube;
    this.#name = name;
    this.#retentionMs = retentionMs;
  }

  /** @throws BackupTooLargeError before anything is written that would not fit. */
  async keep(entries: readonly BackupEntry[], signal?: AbortSignal): Promise<void> {
    const chunks = await this.#load(signal);
    const fresh = entries.map((entry) => JSON.stringify(entry)).filter((line) => !this.#held.has(line));
    if (fresh.length === 0) return;
    const total = sizeOf([...this.#held, ...fresh]);
    if (total > mostBytes) throw new BackupTooLargeError(total);

    for (let pending = fresh; pending.length > 0; ) {
      const last = chunks.at(-1);
      const appended = last ? whatFits(pending, chunkBytes - sizeOf(last.lines)) : [];
      const lines = appended.length > 0 ? appended : whatFits(pending, chunkBytes);
      if (lines.length === 0) throw new BackupTooLargeError(sizeOf(pending.slice(0, 1)));
      if (last && appended.length > 0) {
        await this.#append(last.ref, lines, signal);
        chunks[chunks.length - 1] = { ref: last.ref, lines: [...last.lines, ...lines] };
      } else {
        const ref = this.#chunkRef(chunks.length);
        await this.#create(ref, lines, signal);
        chunks.push({ ref, lines });
      }
      for (const line of lines) this.#held.add(line);
      pending = pending.slice(lines.length);
    }
  }

  async #load(signal?: AbortSignal) {
    if (this.#chunks) return this.#chunks;
    this.#chunks = [];
    const secrets = this.#kube.resource(Secret);
    for (let ref = this.#chunkRef(0); ; ref = this.#chunkRef(this.#chunks.length)) {
      const secret = await secrets.find(ref, signal);
      if (!secret) break;
      const lines = linesOf(secret);
      this.#chunks.push({ ref, lines });
      for (const line of lines) this.#held.add(line);
    }
    return this.#chunks;
  }

  #expires(): string {
    return new Date(this.#kube.clock.now() + this.#retentionMs).toISOString();
  }

  #chunkRef(index: number): ObjectRef {
    const { namespace, feature, transition, storedIn } = this.#name;
    const owner = storedIn === undefined ? '' : `${namespace}.`;
    return { namespace: storedIn ?? namespace, name: `${owner}${feature}-${transition}-${index}` };
  }

  async #create(ref: ObjectRef, lines: readonly string[], signal?: AbortSignal): Promise<void> {
    const { namespace, feature, transition, storedIn } = this.#name;
    const metadata = {
      ...objectMeta(ref),
      labels: {
        [labels.backup]: feature,
        [labels.transition]: transition,
        ...(storedIn !== undefined && { [labels.backupNamespace]: namespace }),
      },
      annotations: { [labels.backupExpires]: this.#expires() },
    };
    const data = { [backupKey]: encoded(lines) };
    try {
      const secret = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, data };
      await this.#kube.resource(Secret).create(secret, { signal });
    } catch (error) {
      // Another server does the same: start over from what it wrote.
      if (hasReason(error, 'AlreadyExists')) this.#chunks = undefined;
      throw error;
    }
  }

  async #append(ref: ObjectRef, lines: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#kube.resource(Secret).mutate(
      ref,
      (draft) => {
        const merged = [...new Set([...linesOf(draft), ...lines])];
        draft.data = { ...draft.data, [backupKey]: encoded(merged) };
        // A person may have postponed it: it is only ever moved back.
        const expires = [draft.metadata.annotations?.[labels.backupExpires] ?? '', this.#expires()].sort()[1] ?? '';
        draft.metadata.annotations = { ...draft.metadata.annotations, [labels.backupExpires]: expires };
      },
      { signal },
    );
  }
}

/** When a backup Secret may be deleted. */
export function expiryOf({ metadata }: KubeObject): string {
  const asked = metadata.annotations?.[labels.backupExpires];
  if (asked !== undefined && !Number.isNaN(Date.parse(asked))) return asked;
  return new Date(Date.parse(metadata.creationTimestamp ?? '') + defaultRetentionMs).toISOString();
}

/** The lines of a backup Secret. */
export function linesOf(secret: { readonly data?: Readonly<Record<string, string>> }): readonly string[] {
  const text = Buffer.from(secret.data?.[backupKey] ?? '', 'base64').toString('utf8');
  return text.split('\n').filter((line) => line !== '');
}

function encoded(lines: readonly string[]): string {
  return Buffer.from(`${lines.join('\n')}\n`).toString('base64');
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
}

/** The first lines that go into `room` bytes. */
function whatFits(lines: readonly string[], room: number): readonly string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > room;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function objectMeta({ name, namespace }: ObjectRef) {
  return { name, ...(namespace !== undefined && { namespace }) };
}
