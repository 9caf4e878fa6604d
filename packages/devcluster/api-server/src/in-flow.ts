import type { Access } from '@slipway/api-machinery/identity/access';
import { type Clock, copyWith } from '@slipway/kube';
import type { KnownRequest } from './access.js';
import type { Flow, FlowControl } from './flow-control/flow-control.js';
import type { ApiAnswer } from './request/request.js';
import { errorAnswer, textAnswer } from './response/answers.js';

/** What lasts for as long as the client likes is not counted; watches are, until they are answered. */
const longRunningParts: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/**
 * Answers a request when its flow lets it in. Whatever the answer is, it says which flow that was.
 *
 * @param time the server's clock, and by it when the request came
 */
export async function inFlow(
  flows: FlowControl,
  { request, access }: KnownRequest,
  { clock, startedMs }: { readonly clock: Clock; readonly startedMs: number },
  answer: () => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  if (isLongRunning(access)) return answer();
  const flow = flows.flowOf(request.user, access);
  const begun = flows.begin(flow, request.user, access, request.clock ?? clock, startedMs);
  const waited = begun instanceof Promise;
  const refusal = waited ? await begun : begun;
  if (refusal) return within(flow, tooManyRequests());
  const letInMs = waited ? clock.monotonicMs() : startedMs;
  try {
    return within(flow, await answer());
  } catch (error) {
    return within(flow, errorAnswer(error));
  } finally {
    flows.end(flow, letInMs);
  }
}

function isLongRunning(access: Access): boolean {
  return access.kind === 'resource' && longRunningParts.has(access.subresource);
}

function within({ headers }: Flow, answer: ApiAnswer): ApiAnswer {
  return copyWith(answer, { headers: copyWith(answer.headers, headers) });
}

/** No Status: clients make one of it. */
function tooManyRequests(): ApiAnswer {
  const headers = { 'retry-after': '1', 'x-content-type-options': 'nosniff' };
  return textAnswer(429, 'Too many requests, please try again later.\n', headers);
}
