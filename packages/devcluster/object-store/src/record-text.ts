import { crc32 } from 'node:zlib';
import { type LogRecord, StorageDamagedError } from './durable-log.js';

/**
 * A record as it is kept: a line of facts (a checksum, and where the object belongs), then the object's JSON.
 * Its revision is the key it is kept under. Data written before 2026-11-23 has more facts in that line.
 */
export function recordText({ kind, resource, namespace, name, json }: LogRecord): string {
  const facts = JSON.stringify([kind, resource, namespace, name]);
  return `${crc32(json, crc32(facts))} ${facts}\n${json}`;
}

/** @throws StorageDamagedError when the text is not what `recordText` made. `path` is for the message. */
export function readRecord(path: string, revision: number, text: string): LogRecord {
  const start = text.indexOf(' ') + 1;
  const end = text.indexOf('\n');
  const facts = text.slice(start, end);
  const json = text.slice(end + 1);
  if (text.slice(0, start) !== `${crc32(json, crc32(facts))} `) {
    throw new StorageDamagedError(`record ${revision} of ${path} is damaged`);
  }
  const [kind, resource, namespace, name] = JSON.parse(facts);
  return { kind, revision, resource, namespace, name, json };
}
