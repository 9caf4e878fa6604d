import type { Duplex, Readable } from 'node:stream';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import type { User } from '@slipway/api-machinery/identity/user';
import type { Clock } from '@slipway/kube';
import type { AuditTrail } from './audit-trail.js';
import type { Piece } from './pieces.js';

/** One API request, however it came: over TLS or from the same process. */
export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query, encoded as on the wire. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The same with every value of headers that are repeated; absent = none is. */
  readonly allHeaders?: () => Readonly<Record<string, readonly string[] | undefined>>;
  readonly body?: RequestBody | undefined;
  /** The time its sender lives by, for timeouts it asks for. Default: that of the server. */
  readonly clock?: Clock;
  /** The user that the transport authenticated; undefined = headers may name one, or the client is anonymous. */
  readonly user: User | undefined;
  /** Set when the client showed credentials that are not believed. */
  readonly credentials?: 'rejected';
  /** What is found out about the request on its way; absent where no audit log is kept. */
  readonly trail?: AuditTrail;
}

/** An authenticated and authorized request. */
export interface AdmittedRequest extends ApiRequest {
  readonly user: User;
}

/**
 * The body of a request. A caller in the same process passes a JSON value, which
 * must not change afterwards; the server copies what it keeps.
 */
export type RequestBody = { readonly bytes: Uint8Array } | { readonly value: unknown };

/** What answers requests. Bindings hand it those of their clients. */
export interface ApiHandler {
  /** Never rejects: what goes wrong is an answer. */
  handle(request: ApiRequest): Promise<ApiAnswer>;
  /** Whether a request is denied whatever its body holds: its caller is not known, or not allowed to do that. */
  isDenied?(request: ApiRequest): Promise<boolean>;
}

/** The answer. A binding writes `payload` in the way its transport does. */
export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case; content-type is there whenever there is a payload. */
  readonly headers: Readonly<Record<string, string>>;
  /** `Warning` header values, one header each. */
  readonly warnings?: readonly string[];
  readonly payload?: Payload;
}

export type Payload =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'json'; readonly json: JsonPayload }
  /** The streamed answer of another server, and the cookies that it sets, one header each. */
  | { readonly kind: 'stream'; readonly body: Readable; readonly cookies: readonly string[] }
  | { readonly kind: 'watch'; readonly open: (sink: WatchSink) => OpenWatch }
  /** The connection is handed over, with what has come of it already; only a transport with sockets can do that. */
  | { readonly kind: 'upgrade'; readonly take: (socket: Duplex, head: Buffer) => void };

/** A JSON document that may exist as text, as a value, or both; the binding takes what it needs. */
export interface JsonPayload {
  /** The encoded document, or its pieces in order: those of a long list are made as they are asked for. */
  text(): string | Iterable<Piece>;
  /** The document as a value. Frozen or shared: must not be changed. */
  value(): unknown;
  /** As `value`, with yields, and without managed fields if that is wanted; for a list, absent for others. */
  reading?(lean?: boolean): Resumable<unknown>;
  /** The value of a document that was made for this answer: it is there without reading anything. */
  readonly made?: unknown;
}

/** Where the events of a watch go. */
export interface WatchSink {
  event(frame: EncodedFrame): void;
  /** The server ends the stream; nothing follows. */
  end(): void;
}

export interface OpenWatch {
  /** Stops the watch; the sink hears nothing more. */
  close(): void;
}

/** One event of a watch, encoded at most once for all who get it. */
export interface EncodedFrame {
  readonly type: string;
  /** The line on the wire, with its newline. */
  line(): string;
  /** Parses the object in slices if it is so large that it would block for long. Undefined for all others. */
  parseIfLarge?(): Promise<void> | undefined;
  object(): unknown;
  /** The object without managed fields; absent where there are none. */
  lean?(): unknown;
}

/** Bytes a request may carry. */
export const bodyLimit = 3 * 1024 * 1024;
