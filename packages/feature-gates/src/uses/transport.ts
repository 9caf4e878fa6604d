/** One request to the API server. The path carries its query string, encoded. */
export interface GateRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Media type of `body`; `application/json` when absent. */
  readonly contentType?: string;
  /** A JSON value. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The answer, whatever its status. `body` is parsed JSON where the answer was JSON. */
export interface GateResponse {
  readonly status: number;
  readonly body: unknown;
  /** Names in lower case. Only `retry-after` is looked at. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One frame of a watch. The object of `ERROR` is a `Status`. */
export interface GateFrame {
  readonly type: string;
  readonly object: unknown;
}

/**
 * How reports reach the API server. The transport of `@slipway/kube` fits as it is.
 *
 * Without `stream` everything still works, but a new epoch or a published value is
 * only noticed once per renewal: thousands of processes must not poll.
 */
export interface GateTransport {
  /** Resolves with any HTTP status; rejects only when no answer came. */
  request(request: GateRequest): Promise<GateResponse>;
  /** Opens a watch. The iteration ends when the server ends it and throws when the connection broke. */
  stream?(request: GateRequest, signal: AbortSignal): AsyncIterable<GateFrame>;
}

/** The API server answered, but not with success. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  /** What the server asked to wait, 0 when it did not say. */
  readonly retryAfterMs: number;

  constructor(what: string, { status, body, headers }: GateResponse) {
    const message = fieldOf(body, 'message');
    super(`${what}: ${typeof message === 'string' ? message : `HTTP ${status}`}`);
    this.status = status;
    this.retryAfterMs = (Number(headers?.['retry-after']) || 0) * 1000;
  }
}

/** A field of something that may be anything: answers come from outside. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}
