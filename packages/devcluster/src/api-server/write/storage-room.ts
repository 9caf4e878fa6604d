import { statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { setOwn } from '@slipway/api-machinery/json/json-value';
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
  const from = value as Record<string, unknown>;
  const keys = Object.keys(value);
  if (keys.length > chunk) yield;
  let children = 0;
  let bytes = 1;
  for (let at = 0; at < keys.length; at += chunk) {
    const part = keys.slice(at, at + chunk).filter((key) => isList || from[key] !== undefined);
    children += part.length;
    if (keys.length > few) {
      const written: Record<string, unknown> | unknown[] = isList ? value.slice(at, at + chunk) : {};
      if (!isList) for (const key of part) setOwn(written as Record<string, unknown>, key, from[key]);
      if (part.length > 0) bytes += bytesOf(written) - 1;
      yield;
      continue;
    }
    for (const key of part) {
      bytes += 1 + (isList ? 0 : bytesOf(key) + 1) + (yield* jsonBytes(from[key], depth + 1));
    }
  }
  return children === 0 ? 2 : bytes;
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
