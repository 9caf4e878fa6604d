import { statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { writingJson } from '@slipway/api-machinery/json/json-in-slices';
import type { KubeObject, StatusError } from '@slipway/kube';

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
  return Buffer.byteLength(yield* writingJson({ ...object, metadata })) + 1;
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
