import type { Kube, KubeObject, SpanRecorder } from '@slipway/kube';
import type { Actuator } from '../actuators/actuator.js';
import type { BalloonMetrics } from '../metrics/balloon-metrics.js';
import type { NodeView } from '../nodes/node-view.js';
import type { PlanInput } from '../planner/plan-size.js';
import { readBalloonPod } from '../pods/balloon-pod.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import type { StepFacts, StepTimes } from '../ticket/next-step.js';
import type { ResizeWork } from '../ticket/resize-work.js';
import type { TimedPhase } from '../ticket/timed-phase.js';
import { phaseSpan } from './resize-spans.js';

/** The state that a resize works on, read anew each time it is advanced. */
export interface ResizeContext {
  readonly node: NodeView | undefined;
  readonly nodeName: string;
  /** The balloon pod as it was last read. */
  readonly pod: KubeObject | undefined;
  /** Generation of the NodeSize. */
  readonly generation: number;
  readonly policy: PolicySettings;
  readonly actuator: Actuator | undefined;
  /** The input of a plan made now; undefined when the spec cannot be read any more. */
  readonly input: PlanInput | undefined;
  /** A pod of the node waits to be resized to more. */
  readonly awaited: boolean;
}

export interface ResizeDeps {
  readonly kube: Kube;
  readonly signal: AbortSignal;
  /** Receives how long each phase took. */
  readonly metrics: Pick<BalloonMetrics, 'phaseEnded'> | undefined;
  /** Receives each phase as it ends. */
  readonly trace: SpanRecorder | undefined;
}

/** Returns the facts by which the next step is decided, with the pod as it was last read. */
export function factsOf({ node, generation }: ResizeContext, deps: ResizeDeps, pod: KubeObject | undefined): StepFacts {
  return { pod: pod && readBalloonPod(pod), nodeExists: node !== undefined, generation, nowMs: nowMs(deps) };
}

export function stepTimes({ policy, actuator }: ResizeContext): StepTimes {
  const { observeMs, rollbackMs, fence } = policy;
  return { settleMs: fence.settleMs, observeMs, rollbackMs, actuated: actuator !== undefined };
}

/** Reports a phase of a resize that ends now to metrics and traces; `sinceMs` is monotonic. */
export function reportPhaseEnd(work: ResizeWork, phase: TimedPhase, sinceMs: number, deps: ResizeDeps): void {
  deps.metrics?.phaseEnded({ direction: work.direction, phase }, nowMs(deps) - sinceMs);
  deps.trace?.(phaseSpan(work, phase, sinceMs, deps.kube.clock));
}

/** The monotonic time, in milliseconds. */
export function nowMs({ kube }: ResizeDeps): number {
  return kube.clock.monotonicMs();
}
