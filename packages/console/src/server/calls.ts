import type { ServerResponse } from 'node:http';
import { safeJson } from './safe-json.js';

/** A request of a signed-in page. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The JSON object that a POST carries. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
  /** Aborts when the console is closed. */
  readonly signal: AbortSignal;
}

/** Calls of pages, by method and path. */
export type Calls = Readonly<Record<string, (call: ApiCall) => Promise<void>>>;

/** A page asked for something that no page asks for. */
export class CallError extends Error {
  override readonly name = 'CallError';
}

/** A string that a call has to name. @throws CallError */
export function textOf(call: ApiCall, name: string): string {
  const value = call.body ? call.body[name] : (call.query.get(name) ?? undefined);
  if (typeof value !== 'string' || value === '' || value.length > 1_000) throw new CallError(`${name} is not given`);
  return value;
}

/** The object that a call is about. @throws CallError */
export function refOf(call: ApiCall): { readonly namespace: string; readonly name: string } {
  return { namespace: textOf(call, 'namespace'), name: textOf(call, 'name') };
}

export function sendJson(response: ServerResponse, status: number, document: unknown): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json' }).end(safeJson(document));
}
