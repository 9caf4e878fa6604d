import type { QueueContent } from './describe-queue.js';

/** What was written last, and how long ago. */
export interface Written {
  readonly content: QueueContent;
  readonly agoMs: number;
}

/** Changes within this time are written together. */
const togetherMs = 5_000;
/** How often bytes are brought up to date, and what did not change is confirmed, while pulls run or wait. */
const busyRenewMs = 30_000;
/** How often a queue without pulls is confirmed. */
const idleRenewMs = 300_000;

/**
 * Whether a queue is to be written: after it changed, and otherwise now and then, as a sign of life.
 * @param spread 0.9 to 1.1, so that agents that started together do not write together
 */
export function isWriteDue(written: Written | undefined, content: QueueContent, spread: number): boolean {
  if (!written) return true;
  if (written.agoMs >= (isBusy(content) ? busyRenewMs : idleRenewMs * spread)) return true;
  return written.agoMs >= togetherMs && withoutBytes(written.content) !== withoutBytes(content);
}

/** Returns the seconds for which what is written counts: three confirmations may fail. */
export function leaseSecondsOf(content: QueueContent): number {
  return ((isBusy(content) ? busyRenewMs : idleRenewMs) * 3) / 1_000;
}

function isBusy({ runningCount, waitingCount }: QueueContent): boolean {
  return runningCount + waitingCount > 0;
}

function withoutBytes(content: QueueContent): string {
  const running = content.running.map(({ bytes: _bytes, ...pull }) => pull);
  return JSON.stringify({ ...content, running });
}
