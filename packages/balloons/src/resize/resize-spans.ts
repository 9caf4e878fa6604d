import type { Clock, FinishedSpan } from '@slipway/kube';
import type { NodeSize, ResizeResult } from '../api/node-size.js';
import type { ResizeWork } from '../ticket/resize-work.js';
import type { TimedPhase } from '../ticket/timed-phase.js';

/** Results of a resize that did what could be done, or that another took the place of. */
const ordinary: ReadonlySet<ResizeResult> = new Set(['Succeeded', 'Partial', 'Superseded']);

/** Returns a resize whose result was written now, as the status of its NodeSize tells it; undefined while it goes on. */
export function resizeSpan(work: ResizeWork, { metadata, status }: NodeSize, clock: Clock): FinishedSpan | undefined {
  const { lastResize } = status ?? {};
  if (lastResize?.id !== work.id) return undefined;
  const { direction, result, reason, message, from, to } = lastResize;
  const endMs = clock.now();
  return {
    trace: traceOf(work),
    name: 'slipway.node.resize',
    startMs: endMs - (clock.monotonicMs() - work.startedMs),
    endMs,
    attributes: {
      'k8s.node.name': metadata.name ?? '',
      'slipway.resize.id': work.id,
      'slipway.resize.direction': direction,
      'slipway.resize.from': `cpu=${from.cpu},memory=${from.memory}`,
      'slipway.resize.to': `cpu=${to.cpu},memory=${to.memory}`,
      'slipway.resize.result': result,
      'slipway.resize.reason': reason,
    },
    ...(!ordinary.has(result) && { error: message }),
  };
}

/** Returns a phase of a resize that began at `sinceMs` (monotonic) and ends now. */
export function phaseSpan(work: ResizeWork, phase: TimedPhase, sinceMs: number, clock: Clock): FinishedSpan {
  const endMs = clock.now();
  return {
    trace: traceOf(work),
    part: `${phase} ${sinceMs}`,
    name: `slipway.node.resize.${phase}`,
    startMs: endMs - (clock.monotonicMs() - sinceMs),
    endMs,
    attributes: { 'slipway.resize.id': work.id, 'slipway.resize.direction': work.direction },
  };
}

/** The UID of the balloon, because clusters share what traces are sent to. */
function traceOf({ id, podUID }: Pick<ResizeWork, 'id' | 'podUID'>): string {
  return `resize ${podUID} ${id}`;
}
