import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { type GrpcCode, statusMessage } from '../cri/grpc.js';
import type { UnaryAnswer } from '../runtime/unary-call.js';

/** Answers a call with a status of our own. After headers went out it is in the trailers. */
export function answerStatus(
  stream: ServerHttp2Stream,
  code: GrpcCode,
  message: string,
  more: OutgoingHttpHeaders = {},
): void {
  if (stream.destroyed || stream.closed) return;
  const status = { 'grpc-status': String(code), 'grpc-message': statusMessage(message), ...more };
  if (stream.headersSent) {
    endWith(stream, status);
    return;
  }
  respondOnly(stream, { ':status': 200, 'content-type': 'application/grpc', ...status });
}

/** Answers a call with what the runtime answered, to which `more` headers are added. */
export function answerWith(stream: ServerHttp2Stream, answer: UnaryAnswer, more: OutgoingHttpHeaders): void {
  if (stream.destroyed || stream.closed) return;
  const { headers, body, trailers } = answer;
  if (!headers) {
    respondOnly(stream, { ...trailers, ...more });
    return;
  }
  respondOpen(stream, { ...headers, ...more });
  stream.write(body);
  endWith(stream, trailers);
}

/** Sends headers after which data and trailers follow. */
export function respondOpen(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  stream.respond(headers, { waitForTrailers: true, sendDate: false } as object);
}

/** Sends headers that are the whole answer. */
export function respondOnly(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  stream.respond(headers, { endStream: true, sendDate: false } as object);
}

/** Ends an answer that was begun with `respondOpen`. A client may disconnect at any moment, which is not an error here. */
export function endWith(stream: ServerHttp2Stream, trailers: OutgoingHttpHeaders): void {
  stream.once('wantTrailers', () => {
    if (!stream.destroyed && !stream.closed) stream.sendTrailers(trailers);
  });
  stream.end();
}
