import type { Clock, Timer } from '@slipway/kube';
import { type Pod, type PodCondition, podCondition } from '@slipway/kube-objects/kinds/api/pods';
import type { Amounts } from '@slipway/kube-objects/rules/amounts';
import { amountsAsked, askedBy, isSame, withAllocation } from '../allocation/allocation.js';
import type { Checkpoint } from '../allocation/checkpoint.js';
import { type ResizeState, resizeConditions, resizeMessage } from '../allocation/resize-state.js';
import type { Rejection } from '../pods/pod-admission.js';
import type { Resident, Residents } from '../pods/residents.js';
import type { NodePolicies } from '../settings/node-policies.js';
import { whyInfeasible } from './judge-resize.js';
import { type Actuation, planActuation } from './plan-actuation.js';
import { resizeOrder } from './resize-order.js';

export interface PodResizesOptions {
  readonly checkpoint: Checkpoint;
  readonly residents: Residents;
  readonly clock: Clock;
  /** From a resize being granted to containers running with it. */
  readonly actuationMs: number;
  readonly policies: NodePolicies;
  /** What the node could ever give to pods. */
  readonly capacity: () => Amounts;
  /** Why a pod does not fit as it asks to be, now; may take other pods away for it. */
  readonly fit: (pod: Pod) => Rejection | undefined;
  readonly tell: (pod: Pod, type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** Has the kubelet look at a pod soon. */
  readonly syncSoon: (pod: Pod) => void;
}

/** When resizes that wait are looked at again though nothing happened: first after a start, then always. */
const firstRetryMs = 30_000;
const retryMs = 180_000;
/** When an actuation that failed is tried again. */
const tryAgainMs = 60_000;

/**
 * Resizes the pods of one node: looks whether what a pod asks for can be given, promises it, and lets its
 * containers run with it. A pod is given all that it asks for or nothing of it.
 *
 * Invariant: what is promised to all pods together never grows beyond what the node has.
 */
export class PodResizes {
  readonly #options: PodResizesOptions;
  readonly #states = new Map<string, ResizeState>();
  readonly #queue = new Set<string>();
  #timer: Timer | undefined;

  constructor(options: PodResizesOptions) {
    this.#options = options;
  }

  /** Notes what a pod asks for now. */
  see({ pod }: Resident): void {
    const uid = uidOf(pod);
    const allocation = this.#options.checkpoint.allocated(uid);
    if (!allocation) return;
    if (isSame(askedBy(pod), allocation)) {
      this.#queue.delete(uid);
      this.#update(uid, { pending: undefined });
      return;
    }
    const { pending } = this.#stateOf(uid);
    const isSettled = pending?.reason === 'Infeasible' && pending.generation === generationOf(pod);
    if (!isSettled) this.#queue.add(uid);
  }

  /** The kubelet has started and seen all its pods. */
  begin(): void {
    this.retry();
    if (this.#queue.size > 0) this.#retryIn(firstRetryMs);
  }

  /** Looks at everything that waits, in order, and again as long as something could be granted. */
  retry(): void {
    if (this.#queue.size === 0) return;
    while (this.#tryAll()) {}
    this.#retryIn(retryMs);
  }

  conditions(uid: string): readonly PodCondition[] {
    return resizeConditions(this.#stateOf(uid));
  }

  forget(uid: string): void {
    this.#states.delete(uid);
    this.#queue.delete(uid);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /**
   * Lets running containers have what is set aside for them, once people were told that this is under way.
   * @returns the containers to restart for it, and when to come again
   */
  actuate(
    { pod }: Resident,
    running: ReadonlySet<string>,
    usedBytes: (container: string) => number,
  ): { readonly restarts: readonly string[]; readonly againInMs?: number } {
    const uid = uidOf(pod);
    const { checkpoint, clock, actuationMs } = this.#options;
    const [allocated, actuated] = [checkpoint.allocated(uid), checkpoint.actuated(uid)];
    if (!allocated || !actuated) return { restarts: [] };
    const plan = planActuation(withAllocation(pod, allocated), allocated, actuated, running, usedBytes);
    const { progress } = this.#stateOf(uid);
    if (plan.kind === 'nothing') {
      checkpoint.actuate(uid, allocated);
      if (progress) this.#complete(pod);
      return { restarts: [] };
    }
    const nowMs = clock.now();
    if (!progress) {
      const sinceMs = sinceOf(pod, 'PodResizeInProgress', undefined, nowMs);
      this.#update(uid, { progress: { generation: generationOf(pod), sinceMs, dueMs: nowMs + actuationMs } });
      return { restarts: [], againInMs: actuationMs };
    }
    const isTold = podCondition(pod, 'PodResizeInProgress') !== undefined;
    if (!isTold || progress.dueMs > nowMs) return { restarts: [], againInMs: Math.max(0, progress.dueMs - nowMs) };
    return this.#carryOut(pod, plan);
  }

  #carryOut(pod: Pod, plan: Exclude<Actuation, { kind: 'nothing' }>) {
    const uid = uidOf(pod);
    const { checkpoint, clock, tell } = this.#options;
    const { progress } = this.#stateOf(uid);
    if (plan.kind === 'error') {
      if (!progress) return { restarts: [] };
      const sinceMs = progress.error === undefined ? clock.now() : progress.sinceMs;
      this.#update(uid, { progress: { ...progress, sinceMs, error: plan.message } });
      if (progress.error !== plan.message) {
        tell(pod, 'Warning', 'ResizeError', resizeMessage('error', pod, plan.message));
      }
      return { restarts: [], againInMs: tryAgainMs };
    }
    checkpoint.actuate(uid, checkpoint.allocated(uid) ?? new Map());
    this.#complete(pod);
    return { restarts: plan.restarts };
  }

  #complete(pod: Pod): void {
    const { checkpoint, tell } = this.#options;
    const given = withAllocation(pod, checkpoint.allocated(uidOf(pod)) ?? new Map());
    this.#update(uidOf(pod), { progress: undefined });
    tell(pod, 'Normal', 'ResizeCompleted', resizeMessage('completed', given));
  }

  /** One look at each; whether one of them was granted. */
  #tryAll(): boolean {
    const { checkpoint, residents } = this.#options;
    const waiting = [...this.#queue].flatMap((uid) => {
      const [resident, allocation] = [residents.get(uid), checkpoint.allocated(uid)];
      if (!resident || resident.ending || !allocation) return [];
      return [{ pod: resident.pod, resident, allocation, sinceMs: this.#stateOf(uid).pending?.sinceMs }];
    });
    let granted = false;
    for (const { resident } of resizeOrder(waiting)) {
      if (!resident.ending && this.#tryOne(resident)) granted = true;
    }
    return granted && this.#queue.size > 0;
  }

  #tryOne(resident: Resident): boolean {
    const { pod } = resident;
    const uid = uidOf(pod);
    const { checkpoint, policies, capacity, fit } = this.#options;
    const allocation = checkpoint.allocated(uid) ?? new Map();
    const never = whyInfeasible(pod, allocation, capacity(), policies);
    if (never !== undefined) {
      this.#queue.delete(uid);
      this.#refuse(pod, 'Infeasible', never);
      return false;
    }
    const notNow = fit(pod);
    if (notNow) {
      this.#refuse(pod, 'Deferred', notNow.message);
      return false;
    }
    this.#grant(resident);
    return true;
  }

  #grant(resident: Resident): void {
    const { pod } = resident;
    const { checkpoint, residents, clock, actuationMs, tell, syncSoon } = this.#options;
    const nowMs = clock.now();
    checkpoint.allocate(uidOf(pod), askedBy(pod));
    residents.setAside(resident, amountsAsked(pod));
    this.#queue.delete(uidOf(pod));
    const progress = { generation: generationOf(pod), sinceMs: nowMs, dueMs: nowMs + actuationMs };
    this.#update(uidOf(pod), { pending: undefined, progress });
    tell(pod, 'Normal', 'ResizeStarted', resizeMessage('started', pod));
    syncSoon(pod);
  }

  #refuse(pod: Pod, reason: 'Deferred' | 'Infeasible', message: string): void {
    const uid = uidOf(pod);
    const { clock, tell, syncSoon } = this.#options;
    const { pending: before } = this.#stateOf(uid);
    const generation = generationOf(pod);
    if (before?.reason === reason && before.message === message && before.generation === generation) return;
    const isNews = before?.reason !== reason || before.generation !== generation;
    const sinceMs = before?.reason === reason ? before.sinceMs : sinceOf(pod, 'PodResizePending', reason, clock.now());
    this.#update(uid, { pending: { reason, message, generation, sinceMs } });
    if (isNews) tell(pod, 'Warning', `Resize${reason}`, resizeMessage(reason, pod, message));
    syncSoon(pod);
  }

  #stateOf(uid: string): ResizeState {
    return this.#states.get(uid) ?? {};
  }

  #update(uid: string, change: { [step in keyof ResizeState]?: ResizeState[step] | undefined }): void {
    const { pending, progress } = { ...this.#stateOf(uid), ...change };
    if (pending || progress) this.#states.set(uid, { ...(pending && { pending }), ...(progress && { progress }) });
    else this.#states.delete(uid);
  }

  #retryIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#queue.size > 0) this.#timer = this.#options.clock.after(delayMs, () => this.retry());
  }
}

/** A kubelet that was started anew goes on from what it said before. */
function sinceOf(pod: Pod, type: string, reason: string | undefined, nowMs: number): number {
  const before = podCondition(pod, type);
  return before && before.reason === reason && before.lastTransitionTime
    ? Date.parse(before.lastTransitionTime)
    : nowMs;
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

function generationOf({ metadata }: Pod): number {
  return metadata.generation ?? 0;
}
