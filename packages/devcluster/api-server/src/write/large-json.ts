import { runInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { type JsonDocument, JsonError, readingJson, readJson } from '@slipway/api-machinery/schema/json-scanner';
import type { ApiRequest } from '../request/request.js';

/** Bytes that are read in the turn of the event loop in which they are used. */
const maxInTurn = 128 * 1024;
/** Parsed large bodies that were not used yet. */
const readBefore = new WeakMap<Uint8Array, JsonDocument | JsonError>();

/** Parses a large JSON body in a tick of its own and returns when that is done. Undefined for all others. */
export function jsonReadyFor({
  body,
  headers,
  method,
}: Pick<ApiRequest, 'body' | 'headers' | 'method'>): Promise<void> | undefined {
  if (!body || 'value' in body || body.bytes.length <= maxInTurn || method === 'GET') return undefined;
  if (!/json/i.test(headers['content-type'] ?? 'application/json')) return undefined;
  return readAhead(body.bytes);
}

async function readAhead(bytes: Uint8Array): Promise<void> {
  try {
    readBefore.set(bytes, await runInSlices(readingJson(bytes)));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    readBefore.set(bytes, error);
  }
  await yieldToEventLoop();
}

/** Reads a JSON body. The value belongs to the caller: who asks again has it read again. @throws JsonError */
export function readJsonBody(bytes: Uint8Array): JsonDocument {
  const before = readBefore.get(bytes);
  readBefore.delete(bytes);
  if (before instanceof JsonError) throw before;
  return before ?? readJson(bytes);
}
