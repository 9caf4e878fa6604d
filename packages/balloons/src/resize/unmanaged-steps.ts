import type { NodeSize } from '../api/node-size.js';
import { inherited } from '../ticket/begin-work.js';
import { waiting, withConditions } from './conditions.js';
import { isDeleted } from './observation.js';
import type { Step } from './step.js';
import { finished, withEnding } from './ticket-status.js';

/** Returns what is done when there is no node of that name: its resize, if any, has ended. */
export function stepWithoutNode(size: NodeSize, nowMs: number, wallMs: number): Step {
  const ended: Step = { remember: { work: undefined }, releaseSlot: true };
  if (isDeleted(size)) return { ...ended, next: { kind: 'remove-finalizer' } };
  const { status = {} } = size;
  const message = 'there is no such node';
  const work = status.resize && inherited(status.resize, nowMs);
  const ending = { result: 'NodeGone', reason: 'NodeGone', message } as const;
  const closed = work ? withEnding(status, finished(work, ending, wallMs, 0), wallMs) : status;
  return { ...ended, status: withConditions(closed, wallMs, waiting(message), undefined) };
}

/** Returns what is done when no policy manages the node. */
export function stepWithoutPolicy(size: NodeSize, wallMs: number): Step {
  const open = { isSized: true };
  if (isDeleted(size)) return { open, next: { kind: 'remove-finalizer' } };
  const disabled = { reason: 'Disabled', message: 'no policy manages the node' } as const;
  return { open, status: withConditions(size.status ?? {}, wallMs, disabled, undefined) };
}
