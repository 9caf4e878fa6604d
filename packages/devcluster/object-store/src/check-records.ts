import type { KubeObject } from '@slipway/kube';
import type { LogRecord } from './durable-log.js';
import { storageKey } from './entry.js';
import { readRecord } from './record-text.js';

/** Something that is not as it was written. */
export interface Damage {
  /** Which part: a file, or a record of it and the object that it is about, as far as that can be told. */
  readonly where: string;
  readonly what: string;
}

/** What a store holds. */
export interface StoreContents {
  /** Objects in the order in which they were last written. */
  readonly objects: readonly { readonly resource: string; readonly object: KubeObject }[];
  /** The newest revision that was kept; 0 when nothing was. */
  readonly revision: number;
  /** Records kept, those of the history among them, and their size. */
  readonly records: number;
  readonly bytes: number;
  readonly damage: readonly Damage[];
}

/**
 * Looks at every record of a store, oldest first, and collects what is there and what is damaged.
 * A damaged record does not hide the others.
 */
export function checkRecords(
  path: string,
  records: Iterable<{ readonly revision: number; readonly text: string }>,
): StoreContents {
  const current = new Map<string, { readonly resource: string; readonly object: KubeObject }>();
  const damage: Damage[] = [];
  let [revision, count, bytes] = [0, 0, 0];
  for (const { revision: at, text } of records) {
    count += 1;
    bytes += text.length;
    revision = Math.max(revision, at);
    const record = readable(path, at, text, damage);
    if (!record) continue;
    const key = `${record.resource}/${storageKey(record.namespace, record.name)}`;
    current.delete(key);
    if (record.json === '') continue;
    const object = objectOf(record);
    const what = typeof object === 'string' ? object : contradiction(record, object);
    if (what !== undefined) damage.push({ where: `record ${at}, ${key}`, what });
    if (record.kind === 'put' && typeof object !== 'string') current.set(key, { resource: record.resource, object });
  }
  return { objects: [...current.values()], revision, records: count, bytes, damage };
}

function readable(path: string, revision: number, text: string, damage: Damage[]): LogRecord | undefined {
  try {
    return readRecord(path, revision, text);
  } catch {
    const [, subject] = /^\d+ \["[a-z]+","([^"]+","[^"]*","[^"]*)"/.exec(text) ?? [];
    const about = subject === undefined ? '' : `, about ${subject.split('","').filter(Boolean).join('/')}`;
    damage.push({ where: `record ${revision}${about}`, what: 'its checksum is not that of its content' });
    return undefined;
  }
}

/** The object, or why it is none. */
function objectOf({ json }: LogRecord): KubeObject | string {
  try {
    const object = JSON.parse(json) as KubeObject | null;
    return typeof object?.metadata === 'object' ? object : 'it is not an object with metadata';
  } catch {
    return 'it is not JSON';
  }
}

/** What the object says of itself must be what its record says of it. */
function contradiction(record: LogRecord, { metadata }: KubeObject): string | undefined {
  const { name = '', namespace = '', resourceVersion } = metadata;
  const said = [name, namespace, resourceVersion];
  const kept = [record.name, record.namespace, String(record.revision)];
  return said.join('\n') === kept.join('\n') ? undefined : 'the object is not the one its record is about';
}
