import { statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { type KubeObject, type StatusError, stringifyJson } from '@slipway/kube';

/** Bytes that the client of etcd sends at most, and that etcd takes at most (`--max-request-bytes`). */
const sendLimit = 2 * 1024 * 1024;
const takeLimit = 1.5 * 1024 * 1024;

/**
 * Why etcd would refuse to keep an object, if it would: the refusal that clients of a real API
 * server see. Undefined when there is room.
 * @param key where the object would be kept
 * @param revision of the object that it replaces; undefined for a new one
 */
export function* noRoom(
  object: KubeObject,
  key: string,
  revision: number | undefined,
): Resumable<StatusError | undefined> {
  const size = transactionSize(Buffer.byteLength(key), yield* storedSize(object), revision);
  if (size <= takeLimit) return undefined;
  const tooLarge = `trying to send message larger than max (${size} vs. ${sendLimit})`;
  const why = size > sendLimit ? `rpc error: code = ResourceExhausted desc = ${tooLarge}` : undefined;
  return statusError(500, undefined, why ?? 'etcdserver: request is too large');
}

/** A document ends with a newline; which version it is etcd knows by itself. */
function* storedSize(object: KubeObject): Resumable<number> {
  const { resourceVersion: _known, ...metadata } = object.metadata;
  return (yield* jsonBytes({ ...object, metadata })) + 1;
}

/** Children that are written at once. */
const chunk = 512;
/** Objects and lists of fewer children are looked into: one of them may be large. */
const few = 16;
/** As deep as the fields of a map lie in `managedFields`; what is below is written at once. */
const deep = 6;

/** Returns how many bytes a value has as JSON, without making the whole string at once. */
export function* jsonBytes(value: unknown, depth = 0): Resumable<number> {
  if (typeof value !== 'object' || value === null || depth >= deep) return bytesOf(value);
  const isList = Array.isArray(value);
  const children = isList ? value.entries() : Object.entries(value).filter(([, child]) => child !== undefined);
  const all = [...children];
  if (all.length === 0) return 2;
  let bytes = 1 + all.length;
  for (let at = 0; at < all.length; at += chunk) {
    const part = all.slice(at, at + chunk);
    if (all.length > few) {
      const written = isList ? part.map(([, child]) => child) : Object.fromEntries(part);
      bytes += bytesOf(written) - 1 - part.length;
      yield;
      continue;
    }
    for (const [key, child] of part) {
      bytes += (isList ? 0 : bytesOf(key) + 1) + (yield* jsonBytes(child, depth + 1));
    }
  }
  return bytes;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(stringifyJson(value));
}

/**
 * Bytes of the message that writes a value: `etcdserverpb.TxnRequest` with the comparison that the
 * key was last written in `revision`, the put, and for a replacement the read of what is there instead.
 */
function transactionSize(key: number, value: number, revision: number | undefined): number {
  const comparedTarget = 2;
  const compare = comparedTarget + field(key) + 1 + varint(revision ?? 0);
  const put = field(key) + field(value);
  const otherwise = revision === undefined ? 0 : field(field(field(key)));
  return field(compare) + field(field(put)) + otherwise;
}

/** A field of so many bytes, with its tag and its length before it. */
function field(bytes: number): number {
  return 1 + varint(bytes) + bytes;
}

function varint(value: number): number {
  return value < 0x80 ? 1 : 1 + varint(Math.floor(value / 0x80));
}
