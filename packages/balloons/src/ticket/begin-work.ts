import type { Ticket } from '../api/node-size.js';
import { type Amounts, parseAmounts } from '../planner/amounts.js';
import type { Resize } from '../planner/plan-size.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import type { Ending, ResizeWork } from './resize-work.js';

/** The facts that every resize begins with. */
export interface Beginning {
  readonly id: string;
  /** Generation of the NodeSize that it carries out. */
  readonly generation: number;
  /** Monotonic, in milliseconds. */
  readonly nowMs: number;
  /** Time limit of the kubelet, in milliseconds. */
  readonly withinMs: number;
}

/** Begins to carry out a plan. Hardware grows first; a fence has to settle before the pod is patched. */
export function planned(
  plan: Resize,
  pod: BalloonPod,
  how: { readonly fenced: boolean; readonly actuated: boolean },
  beginning: Beginning,
): ResizeWork {
  const { direction, from, to, patches, partial } = plan;
  return {
    ...begun(beginning, pod.uid, from, to),
    direction,
    patches,
    partial,
    fenced: how.fenced,
    phase: firstPhase(plan, how, beginning.nowMs),
  };
}

function firstPhase(
  { direction }: Resize,
  { fenced, actuated }: { readonly fenced: boolean; readonly actuated: boolean },
  nowMs: number,
): ResizeWork['phase'] {
  if (direction !== 'Down' && actuated) return { kind: 'growing', sinceMs: nowMs };
  return fenced ? { kind: 'settling', sinceMs: nowMs } : { kind: 'checking', patch: 0 };
}

/** Starts the settling time of a fence that was raised at `nowMs`. */
export function settlingSince(work: ResizeWork, nowMs: number): ResizeWork {
  return work.phase.kind === 'settling' ? { ...work, phase: { ...work.phase, sinceMs: nowMs } } : work;
}

/** Begins to revert a resize by another client that the kubelet has not accepted. */
export function takingBack(pod: BalloonPod, ending: Ending, beginning: Beginning): ResizeWork {
  const asked = { podUID: pod.uid, to: pod.desired, podGeneration: pod.generation };
  return {
    ...begun(beginning, pod.uid, pod.allocated, pod.desired),
    phase: { kind: 'rolling-back', asked, ending, sinceMs: beginning.nowMs },
  };
}

/** Begins to resize the machine to the size that the node has. */
export function syncing(pod: BalloonPod, beginning: Beginning): ResizeWork {
  return {
    ...begun(beginning, pod.uid, pod.allocated, pod.allocated),
    phase: { kind: 'shrinking', sinceMs: beginning.nowMs },
  };
}

/** Continues the resize of an earlier leader from its ticket. */
export function inherited(ticket: Ticket, nowMs: number): ResizeWork {
  const { id, generation, direction, podUID, fenced } = ticket;
  const beginning = { id, generation, nowMs, withinMs: 0 };
  return {
    ...begun(beginning, podUID, parseAmounts(ticket.from), parseAmounts(ticket.to)),
    direction,
    fenced,
    phase: { kind: 'inherited' },
  };
}

function begun({ id, generation, nowMs, withinMs }: Beginning, podUID: string, from: Amounts, to: Amounts) {
  return {
    id,
    generation,
    direction: 'Down',
    from,
    to,
    patches: [],
    podUID,
    partial: false,
    fenced: false,
    startedMs: nowMs,
    deadlineMs: nowMs + withinMs,
  } as const;
}
