import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { sendable } from './raw-headers.js';

/** An answer of the runtime, byte for byte. Without `headers` it consisted of trailers only. */
export interface UnaryAnswer {
  readonly headers: OutgoingHttpHeaders | undefined;
  readonly body: Buffer;
  readonly trailers: OutgoingHttpHeaders;
}

/** The connection to the runtime broke before it had answered. */
export class RuntimeAwayError extends Error {
  override readonly name = 'RuntimeAwayError';
}

/** What `unaryCall` needs of a connection. */
export interface CallOpener {
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream;
}

const defaults: OutgoingHttpHeaders = {
  [constants.HTTP2_HEADER_METHOD]: 'POST',
  [constants.HTTP2_HEADER_SCHEME]: 'http',
  [constants.HTTP2_HEADER_AUTHORITY]: 'localhost',
  'content-type': 'application/grpc',
  te: 'trailers',
};

/**
 * Makes one call with these bytes as its body, and collects the answer without reading it.
 * @throws RuntimeAwayError, or the reason of the signal, after which the runtime is told to stop.
 */
export function unaryCall(
  runtime: CallOpener,
  headers: OutgoingHttpHeaders,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<UnaryAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const call = runtime.request({ ...defaults, ...headers });
    const chunks: Buffer[] = [];
    let answered: OutgoingHttpHeaders | undefined;
    let trailers: OutgoingHttpHeaders | undefined;
    let problem: Error | undefined;
    const stop = () => call.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener('abort', stop, { once: true });
    call.on('response', ((received: IncomingHttpHeaders, flags: number, raw: readonly string[]) => {
      if (flags & constants.NGHTTP2_FLAG_END_STREAM) trailers = sendable(received, raw);
      else answered = sendable(received, raw);
    }) as () => void);
    call.on('trailers', ((received: IncomingHttpHeaders, _flags: number, raw: readonly string[]) => {
      trailers = sendable(received, raw);
    }) as () => void);
    call.on('data', (chunk: Buffer) => chunks.push(chunk));
    call.on('error', (error) => {
      problem = error;
    });
    call.on('close', () => {
      signal.removeEventListener('abort', stop);
      if (trailers) resolve({ headers: answered, body: Buffer.concat(chunks), trailers });
      else if (signal.aborted) reject(signal.reason);
      else reject(new RuntimeAwayError('the container runtime went away', { cause: problem }));
    });
    call.end(body);
  });
}
