import { grpcCode, messageText } from '../cri/grpc.js';
import type { UnaryAnswer } from '../runtime/unary-call.js';

/** How a pull ended, in one word that metrics and logs share. */
export type PullOutcome =
  | 'ok'
  | 'not_found'
  | 'unauthorized'
  | 'registry_away'
  | 'no_space'
  | 'canceled'
  | 'runtime_away'
  | 'other';

/** Texts of containerd and CRI-O, in the order in which they decide. A status stands by itself; ports and digests have such digits, too. */
const texts: readonly [RegExp, PullOutcome][] = [
  [/no space left on device/i, 'no_space'],
  [/unauthorized|authorization failed|access denied|\s401\b|\s403 forbidden/i, 'unauthorized'],
  [/not found|manifest unknown|\s404\b/i, 'not_found'],
  [/context canceled/i, 'canceled'],
  [/connection refused|no such host|i\/o timeout|\s50[0-4]\b|too many requests|connection reset/i, 'registry_away'],
];

/** Reads how the runtime answered a pull, or why it did not. */
export function outcomeOf(ended: { value: UnaryAnswer } | { error: unknown }): PullOutcome {
  if ('error' in ended) return isAway(ended.error) ? 'runtime_away' : 'canceled';
  const { trailers } = ended.value;
  const code = Number(trailers['grpc-status']);
  if (code === grpcCode.ok) return 'ok';
  if (code === grpcCode.cancelled) return 'canceled';
  if (code === grpcCode.unavailable) return 'runtime_away';
  const message = messageText(String(trailers['grpc-message'] ?? ''));
  return texts.find(([text]) => text.test(message))?.[1] ?? 'other';
}

function isAway(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeAwayError';
}
