import type { KubeObject } from './objects.js';

/** One API request. The path carries its query string, encoded. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Media type of `body`; `application/json` when absent. */
  readonly contentType?: string;
  /** Extra request headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value. The sender must not change it afterwards. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The answer, whatever its status. `body` is parsed JSON, or a string for other media types. */
export interface KubeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Must not be changed by the receiver: in process it may be the very object a cache holds. */
  readonly body: unknown;
}

/** One frame of a watch. The object of `ERROR` is a `Status`. */
export interface WatchFrame {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

/**
 * How requests reach an API server: over HTTPS, or in process through the same
 * handlers. Both behave alike, so everything above is written once.
 */
export interface Transport {
  /** Resolves with any HTTP status; rejects only when no answer came (network, abort). */
  request(request: KubeRequest): Promise<KubeResponse>;
  /**
   * Opens a watch. The iteration ends when the server ends the stream, throws a
   * `StatusError` when the server refused it and another error when the
   * connection broke or a frame could not be read. Aborting ends it.
   */
  stream(request: KubeRequest, signal: AbortSignal): AsyncIterable<WatchFrame>;
}
