/** Who asks: the name and groups that authentication found. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** One API request, however it came: over TLS or from the same process. */
export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query, encoded as on the wire. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestBody | undefined;
  /** Undefined = nobody: only health and version answer. */
  readonly user: User | undefined;
  /** Set when the client showed credentials that are not believed. */
  readonly credentials?: 'rejected';
}

/**
 * What came with a request. A caller in process hands over a JSON value, which
 * nobody may change afterwards; the server copies what it keeps.
 */
export type RequestBody = { readonly bytes: Uint8Array } | { readonly value: unknown };

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
  | { readonly kind: 'json'; readonly json: JsonPayload }
  | { readonly kind: 'watch'; readonly open: (sink: WatchSink) => OpenWatch };

/** A JSON document that may exist as text, as a value, or both; the binding takes what it needs. */
export interface JsonPayload {
  /** The encoded document, or its pieces in order (long lists are never joined). */
  text(): string | readonly string[];
  /** The document as a value. Frozen or shared: must not be changed. */
  value(): unknown;
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
  object(): unknown;
}
