import type { Answer, Caller, PullQueue } from './queue-state.js';

/** Refusals remembered at most; the oldest are forgotten. */
const maxRefusals = 1_024;

/** Remembers refusals of pods, so that a caller that tries its credentials in turn waits once. */
export function withRefusals(queue: PullQueue, answers: readonly Answer[], nowMs: number): PullQueue {
  const untilMs = nowMs + queue.settings.refusalMemoryMs;
  const fresh = answers.flatMap(({ caller: { podUid }, kind, ...answer }) =>
    kind === 'refused' && podUid !== undefined && 'image' in answer && !isKnown(queue, podUid, answer.image, nowMs)
      ? [{ podUid, image: answer.image, untilMs }]
      : [],
  );
  if (fresh.length === 0) return queue;
  const refusals = [...queue.refusals.filter((one) => one.untilMs > nowMs), ...fresh].slice(-maxRefusals);
  return { ...queue, refusals };
}

/** Whether a caller was just refused. Only callers with a deadline count: those without one just wait. */
export function isRefusalRemembered(
  queue: PullQueue,
  { podUid, giveUpAtMs }: Caller,
  image: string,
  nowMs: number,
): boolean {
  return podUid !== undefined && giveUpAtMs !== Infinity && isKnown(queue, podUid, image, nowMs);
}

function isKnown({ refusals }: PullQueue, podUid: string, image: string, nowMs: number): boolean {
  return refusals.some((one) => one.podUid === podUid && one.image === image && one.untilMs > nowMs);
}
