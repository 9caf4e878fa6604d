import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { framed, type GrpcCode, grpcCode } from '../cri/grpc.js';
import { type ImageStatus, pullImageResponse } from '../cri/image-status.js';
import { PullRefusedError } from '../limiter/pull-refused-error.js';
import type { RefusalReason } from '../limiter/queue-state.js';
import { RuntimeAwayError, type UnaryAnswer } from '../runtime/unary-call.js';
import { answerStatus } from './answer.js';
import { deadlineOver } from './hang-up.js';
import { BadOptionError } from './pull-option.js';

/** A request that no runtime would take. */
export class RequestTooLargeError extends Error {
  override readonly name = 'RequestTooLargeError';
}

/**
 * Codes of our refusals. A kubelet shows the text of UNKNOWN, and of no other code, and tells errors apart by how it
 * starts, so what it should tell apart is UNKNOWN; `precise` is for clients that go by the code.
 */
const codes: Readonly<Record<RefusalReason, { readonly kubelet: GrpcCode; readonly precise: GrpcCode }>> = {
  TooManyPullingInParallel: { kubelet: grpcCode.unknown, precise: grpcCode.resourceExhausted },
  QueueFull: { kubelet: grpcCode.unknown, precise: grpcCode.resourceExhausted },
  Stalled: { kubelet: grpcCode.unknown, precise: grpcCode.deadlineExceeded },
  PodGone: both(grpcCode.aborted),
  Dropped: both(grpcCode.aborted),
  RuntimeAway: both(grpcCode.unavailable),
  Draining: both(grpcCode.unavailable),
};

function both(code: GrpcCode): { readonly kubelet: GrpcCode; readonly precise: GrpcCode } {
  return { kubelet: code, precise: code };
}

/** Answers a pull that did not come to an answer of the runtime. */
export function answerError(
  stream: ServerHttp2Stream,
  error: unknown,
  options: { readonly errors: 'kubelet' | 'precise'; readonly more: OutgoingHttpHeaders },
): void {
  const { errors, more } = options;
  if (error === deadlineOver) {
    answerStatus(stream, grpcCode.deadlineExceeded, 'context deadline exceeded', more);
  } else if (error instanceof PullRefusedError) {
    const about = { 'slipway-reason': error.reason, 'slipway-waited-ms': String(Math.round(error.waitedMs)) };
    answerStatus(stream, codes[error.reason][errors], error.message, { ...more, ...about });
  } else if (error instanceof BadOptionError) {
    answerStatus(stream, grpcCode.invalidArgument, error.message, { ...more, 'slipway-reason': error.reason });
  } else if (error instanceof RequestTooLargeError) {
    answerStatus(stream, grpcCode.resourceExhausted, error.message, more);
  } else if (error instanceof RuntimeAwayError) {
    answerStatus(stream, grpcCode.unavailable, error.message, { ...more, 'slipway-reason': 'RuntimeAway' });
  } else if (!stream.closed) {
    answerStatus(stream, grpcCode.internal, 'the image pull limiter failed', more);
  }
}

/** The answer for an image that is there, as the runtime would give it. */
export function presentAnswer({ id, repoDigests }: ImageStatus): UnaryAnswer {
  return {
    headers: { ':status': 200, 'content-type': 'application/grpc' },
    body: framed(pullImageResponse(repoDigests[0] ?? id)),
    trailers: { 'grpc-status': '0', 'grpc-message': '' },
  };
}
