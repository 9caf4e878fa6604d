import {
  type Kube,
  type KubeObject,
  type ReconcileContext,
  type Reconciler,
  removeFinalizer,
  type SpanRecorder,
} from '@slipway/kube';
import { keys } from '../api/group.js';
import { NodeSize } from '../api/node-size.js';
import type { BalloonMetrics } from '../metrics/balloon-metrics.js';
import type { NodeView } from '../nodes/node-view.js';
import { imageOf } from '../pods/patch-balloon.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import { inherited, settlingSince } from '../ticket/begin-work.js';
import { ticketId } from '../ticket/ticket-id.js';
import { advanceResize } from './advance-resize.js';
import { hasReachedSpec } from './balloon-before.js';
import { requestedNow } from './check-plan.js';
import { decideAction } from './decide-action.js';
import { NodeMemories, type NodeMemory } from './node-memory.js';
import type { Observation } from './observation.js';
import { attemptOf, type ObserveDeps, observe, resizeContext } from './observe.js';
import { isOverSize } from './plan-input.js';
import { onItsWay, reportStep, type StepMoment, stepFor } from './plan-step.js';
import { runStep } from './run-step.js';
import { sizeNewPod } from './size-new-pod.js';
import type { NextAction, Step } from './step.js';
import { stepAfterResize } from './step-after-resize.js';
import { stepWithoutNode, stepWithoutPolicy } from './unmanaged-steps.js';

export interface SizeReconcilerDeps extends ObserveDeps {
  readonly kube: Kube;
  /** Returns the policy that manages a node, with its defaults; undefined when none does. */
  readonly policyOf: (node: NodeView) => PolicySettings | undefined;
  readonly random: () => number;
  readonly metrics: BalloonMetrics | undefined;
  /** Receives resizes and their phases as they end. */
  readonly trace: SpanRecorder | undefined;
  /** Has a node reconciled again. */
  readonly enqueue: (node: string) => void;
}

/** Timeout of a resize whose spec has no `deadlineSeconds`; in seconds. */
const defaultDeadlineSeconds = 30;
/** A new pod that still looks as it did when it got its size gets it again after this long. */
const sizedAgainMs = 5_000;

/**
 * Brings one node to the size that its NodeSize asks for: observes, decides, and runs the steps that follow.
 *
 * The ticket of a resize is stored in the NodeSize before the pod is changed, and its result replaces the ticket. Between
 * the two a resize is advanced by whatever happens next: a change of the pod, a timer, or another leader.
 */
export function sizeReconciler(deps: SizeReconcilerDeps): Reconciler {
  const memories = new NodeMemories(deps.enqueue);
  return async ({ name }, context) => {
    const size = deps.world.sizes.get({ name });
    if (size) return await new SizeReconciliation(deps, memories, memories.own.newest(size), context).run();
    memories.forget(name);
    return {};
  };
}

/** One reconciliation of one node. */
class SizeReconciliation {
  readonly #deps: SizeReconcilerDeps;
  readonly #memories: NodeMemories;
  readonly #context: ReconcileContext;
  readonly #name: string;
  #size: NodeSize;

  constructor(deps: SizeReconcilerDeps, memories: NodeMemories, size: NodeSize, context: ReconcileContext) {
    this.#deps = deps;
    this.#memories = memories;
    this.#context = context;
    this.#name = size.metadata.name ?? '';
    this.#size = size;
  }

  async run(): Promise<{ readonly requeueAfterMs?: number | undefined }> {
    let step = this.#firstStep();
    for (;;) {
      const { kube, trace } = this.#deps;
      const target = { size: this.#size, node: this.#node, pod: this.#pod };
      this.#size = await runStep(step, target, { kube, trace, memories: this.#memories, context: this.#context });
      const { next, close, requeueAfterMs } = step;
      if (!next) return { requeueAfterMs };
      step = await this.#take(next, close?.kind === 'fence');
    }
  }

  #firstStep(): Step {
    const node = this.#node;
    if (!node) return stepWithoutNode(this.#size, this.#nowMs, this.#context.now());
    const policy = this.#deps.policyOf(node);
    if (!policy) return stepWithoutPolicy(this.#size, this.#context.now());
    const { resize } = this.#size.status ?? {};
    const work = this.#memory.work ?? (resize && inherited(resize, this.#nowMs));
    if (work) return { next: { kind: 'advance', work } };
    const observation = this.#observe(node, policy);
    const action = decideAction(observation);
    // Pods that wait would be placed in what is about to be hidden.
    const returnsToSize = action.kind === 'resize' && action.plan.direction !== 'Up' && hasReachedSpec(this.#size);
    const isSized = observation.pod?.running === true && !returnsToSize && !isOverSize(observation);
    const step = stepFor(action, observation, this.#moment(observation));
    return {
      image: this.#imageToReplace(observation),
      open: { isSized },
      ...step,
      ...(isSized && { remember: { closedSinceMs: undefined, ...step.remember } }),
    };
  }

  #imageToReplace({ pod, policy }: Observation): string | undefined {
    const object = this.#pod;
    if (!pod || !object || pod.running || pod.deleting) return undefined;
    return imageOf(object) === policy.pod.image ? undefined : policy.pod.image;
  }

  async #take(next: NextAction, hasRaisedFence: boolean): Promise<Step> {
    const { kube } = this.#deps;
    const { signal } = this.#context;
    if (next.kind === 'remove-finalizer') {
      const change = (draft: NodeSize) => removeFinalizer(draft, keys.restore);
      await kube.resource(NodeSize).mutate({ name: this.#name }, change, { signal });
      return {};
    }
    const node = this.#node;
    const policy = node && this.#deps.policyOf(node);
    if (!node || !policy) return {};
    const observation = this.#observe(node, policy);
    if (next.kind === 'size-new-pod') return await this.#sizeNewPod(observation);
    const work = hasRaisedFence ? settlingSince(next.work, this.#nowMs) : next.work;
    this.#memories.update(this.#name, { work });
    const { metrics, trace } = this.#deps;
    const resizeDeps = { kube, signal, metrics, trace };
    const progress = await advanceResize(work, resizeContext(observation, this.#pod, this.#deps), resizeDeps);
    return stepAfterResize(
      progress,
      { ...observation, size: this.#size },
      {
        memory: this.#memory,
        attempt: attemptOf(this.#size, node),
        nowMs: this.#nowMs,
        wallMs: this.#context.now(),
      },
    );
  }

  /** By what the API server itself has: a cache may not know of the pods that were placed last. */
  async #sizeNewPod(observation: Observation): Promise<Step> {
    const { kube } = this.#deps;
    const { signal } = this.#context;
    const pod = this.#pod;
    const wallMs = this.#context.now();
    const { uid = '', resourceVersion } = pod?.metadata ?? {};
    const { sizedPod } = this.#memory;
    const isAsBefore = sizedPod?.resourceVersion === resourceVersion && this.#nowMs < (sizedPod?.untilMs ?? 0);
    if (!pod || isAsBefore) return reportStep(observation, onItsWay, { wallMs });
    const requested = await requestedNow(kube, this.#name, uid, signal);
    const action = decideAction({ ...observation, requested });
    if (action.kind === 'size-new-pod') await sizeNewPod(kube, pod, action.to, signal);
    const sized = { resourceVersion, untilMs: this.#nowMs + sizedAgainMs };
    return { ...reportStep(observation, onItsWay, { wallMs }), remember: { sizedPod: sized } };
  }

  #observe(node: NodeView, policy: PolicySettings): Observation {
    const { reportedAtMs = this.#nowMs } = this.#memory;
    // A process that has just begun to lead does not know when the status was last written.
    this.#memories.update(this.#name, { reportedAtMs });
    const state = { size: this.#size, node, policy, pod: this.#pod, memory: this.#memory, nowMs: this.#nowMs };
    return observe(this.#deps, state);
  }

  #moment({ node, policy }: Observation): StepMoment {
    const { deadlineSeconds = defaultDeadlineSeconds } = this.#size.spec;
    const id = ticketId(this.#generation, this.#deps.random);
    return {
      memory: this.#memory,
      beginning: { id, generation: this.#generation, nowMs: this.#nowMs, withinMs: deadlineSeconds * 1000 },
      wallMs: this.#context.now(),
      takeSlot: () => this.#memories.slots.take(node, policy),
    };
  }

  get #node(): NodeView | undefined {
    return this.#deps.world.node(this.#name);
  }

  get #pod(): KubeObject | undefined {
    return this.#deps.world.balloonOf(this.#name);
  }

  get #memory(): NodeMemory {
    return this.#memories.of(this.#name);
  }

  get #generation(): number {
    return this.#size.metadata.generation ?? 0;
  }

  /** Monotonic, for deadlines. */
  get #nowMs(): number {
    return this.#deps.kube.clock.monotonicMs();
  }
}
