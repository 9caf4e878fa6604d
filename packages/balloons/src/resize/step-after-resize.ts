import { readBalloonPod } from '../pods/balloon-pod.js';
import { type Ending, type ResizeWork, settlesSpec } from '../ticket/resize-work.js';
import type { ResizeProgress } from './advance-resize.js';
import { waiting, withConditions } from './conditions.js';
import { type Hold, holdAfterFailure, holdLeftMs } from './hold.js';
import type { NodeMemory } from './node-memory.js';
import type { Observation } from './observation.js';
import { degradationOf } from './refusals.js';
import { observedStatus, withObservedSpec } from './size-status.js';
import type { Step } from './step.js';
import { finished, withActuator, withEnding, withTarget } from './ticket-status.js';

/** What admission rejected is not requested again for this long. */
const rejectedHoldMs = 5 * 60_000;

interface Moment {
  readonly memory: NodeMemory;
  /** What a hold refers to: spec and hardware. */
  readonly attempt: string;
  readonly nowMs: number;
  readonly wallMs: number;
}

/** Returns what is recorded of a resize that waits or has ended. */
export function stepAfterResize(progress: ResizeProgress, observation: Observation, moment: Moment): Step {
  const { work } = progress;
  const { size, policy } = observation;
  const { wallMs, nowMs, attempt, memory } = moment;
  if (progress.kind === 'open') {
    const status = withTarget(size.status ?? {}, work);
    return {
      status: withAnswer(status, policy.actuator, work, wallMs),
      remember: { work },
      requeueAfterMs: progress.againInMs,
    };
  }
  const { ending, pod } = progress;
  const isDone = ending.result === 'Succeeded' || ending.result === 'Partial';
  const ended = finished(work, ending, wallMs, nowMs - work.startedMs);
  const now: Observation = { ...observation, pod: pod && readBalloonPod(pod) };
  const closed = withEnding(observedStatus(now, wallMs), ended, wallMs);
  const isSettled = work.generation === size.metadata.generation && settlesSpec(ending);
  const status = withAnswer(isSettled ? withObservedSpec(closed, size) : closed, policy.actuator, work, wallMs);
  const held = isDone ? { hold: undefined } : holdAfter(ending, work, moment);
  const hold: Hold | undefined = 'hold' in held ? held.hold : memory.hold;
  return {
    status: withConditions(status, wallMs, isDone ? undefined : waiting(ending.message), degradationOf(ending)),
    remember: { ...held, work: undefined },
    releaseSlot: true,
    requeueAfterMs: holdLeftMs(hold, attempt, nowMs),
  };
}

/** Without its memory the next resize is another one, which is tried at once. */
function holdAfter(ending: Ending, { podUID }: ResizeWork, { memory, attempt, nowMs }: Moment): NodeMemory {
  if (!settlesSpec(ending)) return {};
  if (degradationOf(ending)?.reason === 'SwapBlocksMemory') return { stuckPodUID: podUID };
  const minMs = ending.result === 'Rejected' || ending.result === 'Infeasible' ? rejectedHoldMs : 0;
  return { hold: holdAfterFailure(memory.hold, attempt, nowMs, minMs) };
}

function withAnswer(
  status: Parameters<typeof withActuator>[0],
  actuator: string | undefined,
  work: ResizeWork,
  wallMs: number,
) {
  return work.actuated && actuator ? withActuator(status, actuator, work, work.actuated, wallMs) : status;
}
