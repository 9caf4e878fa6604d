import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { grpcCode } from '../cri/grpc.js';
import { sendable } from '../runtime/raw-headers.js';
import type { CallOpener } from '../runtime/unary-call.js';
import { answerStatus, endWith, respondOnly, respondOpen } from './answer.js';

/**
 * Joins a call of a client to one of the runtime, frame by frame, whatever it is:
 * unary or a stream, known or not. Nothing is decoded, joined or held back beyond
 * what flow control asks for, and `more` headers are added to the answer.
 *
 * A client that goes cancels the runtime's call. A runtime that goes without a
 * status, at whatever moment, is UNAVAILABLE, so no client hangs.
 */
export function passThrough(
  stream: ServerHttp2Stream,
  headers: OutgoingHttpHeaders,
  runtime: CallOpener,
  more: OutgoingHttpHeaders,
): void {
  const call = runtime.request(headers);
  let trailers: OutgoingHttpHeaders | undefined;
  let isOver = false;

  call.on('response', ((received: IncomingHttpHeaders, flags: number, raw: readonly string[]) => {
    if (stream.destroyed || stream.closed) return;
    const answer = { ...sendable(received, raw), ...more };
    if (flags & constants.NGHTTP2_FLAG_END_STREAM) {
      isOver = true;
      respondOnly(stream, answer);
      return;
    }
    respondOpen(stream, answer);
    call.on('data', (chunk: Buffer) => {
      if (!stream.write(chunk)) {
        call.pause();
        stream.once('drain', () => call.resume());
      }
    });
  }) as () => void);
  call.on('trailers', ((received: IncomingHttpHeaders, _flags: number, raw: readonly string[]) => {
    trailers = sendable(received, raw);
  }) as () => void);
  call.on('end', () => finish());
  call.on('error', () => {});
  call.on('close', () => finish());

  const finish = () => {
    if (isOver || stream.destroyed) return;
    if (!trailers) {
      if (!call.closed && !call.destroyed) return;
      isOver = true;
      answerStatus(stream, grpcCode.unavailable, 'the container runtime went away before it had answered');
      return;
    }
    isOver = true;
    endWith(stream, trailers);
  };

  stream.on('data', (chunk: Buffer) => {
    if (!call.destroyed && !call.write(chunk)) {
      stream.pause();
      call.once('drain', () => stream.resume());
    }
  });
  stream.on('end', () => {
    if (!call.destroyed && !call.closed) call.end();
  });
  stream.on('error', () => {});
  stream.on('close', () => {
    if (!call.closed && !call.destroyed) call.close(constants.NGHTTP2_CANCEL);
  });
}
