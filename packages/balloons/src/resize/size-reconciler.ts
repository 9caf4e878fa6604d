import {
  type Kube,
  type KubeObject,
  type ReconcileContext,
  type Reconciler,
  removeFinalizer,
  sameJson,
} from '@slipway/kube';
import type { Actuator } from '../actuators/actuator.js';
import { keys } from '../api/group.js';
import { NodeSize, type NodeSizeStatus } from '../api/node-size.js';
import type { BalloonMetrics } from '../metrics/balloon-metrics.js';
import { closeUntilSized, openNode, raiseFence } from '../nodes/fence.js';
import { hasTaint, type NodeView } from '../nodes/node-view.js';
import { type Amounts, parseAmounts, sameAmounts } from '../planner/amounts.js';
import { directionOf } from '../planner/plan-size.js';
import { type BalloonPod, readBalloonPod } from '../pods/balloon-pod.js';
import { imageOf, takeImage } from '../pods/patch-balloon.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import { type Beginning, inherited, planned, syncing, takingBack } from '../ticket/begin-work.js';
import { type Ending, isAnswer, type ResizeWork } from '../ticket/resize-work.js';
import { ticketId } from '../ticket/ticket-id.js';
import type { BalloonWorld } from '../world/balloon-world.js';
import { requestedNow } from './check-plan.js';
import { type Act, chooseAct, isForeign, type Look, planInput } from './choose-act.js';
import { type Driven, driveResize, type ResizeScene } from './drive-resize.js';
import { degradationOf, refusedEnding } from './refusals.js';
import { SizeMemory } from './size-memory.js';
import { sizeNewPod } from './size-new-pod.js';
import {
  answered,
  finished,
  judged,
  longQuietMs,
  observedStatus,
  withActuator,
  withEnding,
  withTarget,
  withTicket,
} from './size-status.js';

export interface SizeReconcilerDeps {
  readonly kube: Kube;
  readonly world: BalloonWorld;
  /** The policy that manages a node, with its defaults; undefined when none does. */
  readonly policyOf: (node: NodeView) => PolicySettings | undefined;
  /** A policy with as good a claim to the node as that one. */
  readonly rivalOf: (node: NodeView) => string | undefined;
  /** What the autosizer would make of a node. */
  readonly recommendedFor: (node: string) => Amounts | undefined;
  /** What a policy's `actuatorRef` stands for here. */
  readonly actuators: ReadonlyMap<string, Actuator>;
  readonly random: () => number;
  readonly metrics: BalloonMetrics | undefined;
  /** Has a node looked at again. */
  readonly again: (node: string) => void;
}

/** For the kubelet, where a spec says nothing else; in seconds. */
const defaultDeadlineSeconds = 30;
/** What admission refused is not asked again for this long. */
const rejectedHoldMs = 5 * 60_000;
/** A node whose turn has not come is told when it has; in case nobody tells it, it asks again this late. */
const slotAgainMs = 10_000;
/** A new pod that looks as it did when it got its size is given it again after this long. */
const sizedAgainMs = 5_000;

/**
 * Brings one node to the size that its NodeSize asks for.
 *
 * Everything that is done to a pod is written into the NodeSize before, as a ticket;
 * how it ended is written in its place. Between the two a resize is carried on by
 * whatever happens next: a pod that changed, a timer, another leader.
 */
export function sizeReconciler(deps: SizeReconcilerDeps): Reconciler {
  const memory = new SizeMemory(deps.again);
  return async ({ name }, context) => {
    const size = deps.world.sizes.get({ name });
    if (size) return await new Turn(deps, memory, memory.own.newest(size), context).run();
    memory.forget(name);
    return {};
  };
}

interface Again {
  readonly requeueAfterMs?: number;
}

/** One look at one node. */
class Turn {
  readonly #deps: SizeReconcilerDeps;
  readonly #memory: SizeMemory;
  readonly #name: string;
  readonly #context: ReconcileContext;
  #size: NodeSize;

  constructor(deps: SizeReconcilerDeps, memory: SizeMemory, size: NodeSize, context: ReconcileContext) {
    this.#deps = deps;
    this.#memory = memory;
    this.#name = size.metadata.name ?? '';
    this.#size = size;
    this.#context = context;
  }

  async run(): Promise<Again> {
    const node = this.#deps.world.node(this.#name);
    if (!node) return this.#withoutNode();
    const policy = this.#deps.policyOf(node);
    if (!policy) return this.#unmanaged(node);
    const object = this.#deps.world.balloonOf(this.#name);
    const look = this.#look(node, policy, object);
    const { resize } = this.#size.status ?? {};
    const work = this.#memory.works.get(this.#name) ?? (resize && inherited(resize, this.#nowMs));
    if (work) return this.#drive(work, look, object);
    await this.#keepImage(look, object);
    const isSized = look.pod?.running === true;
    if (isSized) this.#memory.closed.delete(this.#name);
    await openNode(this.#deps.kube, node, isSized, this.#context.signal);
    return this.#do(chooseAct(look), look, object);
  }

  async #do(act: Act, look: Look, object: KubeObject | undefined): Promise<Again> {
    switch (act.kind) {
      case 'rest':
        return this.#rest(look, act);
      case 'answer':
        return this.#answer(look, act);
      case 'let-go':
        return this.#letGo();
      case 'size-new-pod':
        return object ? this.#sizeNewPod(act, look, object) : {};
      case 'sync-hardware':
        return look.pod ? this.#drive(syncing(look.pod, this.#beginning), look, object) : {};
      case 'take-back':
        return look.pod && object ? this.#takeBack(act.ending, look, look.pod, object) : {};
      case 'resize':
        return look.pod && object ? this.#begin(act, look, look.pod, object) : {};
    }
  }

  async #keepImage({ pod, policy }: Look, object: KubeObject | undefined): Promise<void> {
    if (!pod || !object || pod.running || pod.deleting || imageOf(object) === policy.pod.image) return;
    try {
      await takeImage(this.#deps.kube, object, policy.pod.image, this.#context.signal);
    } catch (error) {
      // The pod is another one by now, or gone: whoever sees that looks again.
      if (!refusedEnding(error)) throw error;
    }
  }

  /** Behind a taint that has settled, so that no pod lands where the balloon is about to. */
  async #sizeNewPod(act: Extract<Act, { kind: 'size-new-pod' }>, look: Look, object: KubeObject): Promise<Again> {
    const { kube } = this.#deps;
    const { signal } = this.#context;
    const onItsWay = waits('the balloon pod is on its way');
    if (act.hidesMuch) {
      const againInMs = await this.#closed(look);
      if (againInMs > 0) return this.#rest(look, { ...onItsWay, againInMs });
    }
    const { uid = '', resourceVersion } = object.metadata;
    const sized = this.#memory.sized.get(this.#name);
    const isAsBefore = sized?.resourceVersion === resourceVersion && this.#nowMs < (sized?.untilMs ?? 0);
    if (isAsBefore) return this.#rest(look, onItsWay);
    const requested = await requestedNow(kube, this.#name, uid, signal);
    const live = chooseAct({ ...look, requested });
    if (live.kind === 'size-new-pod') await sizeNewPod(kube, object, live.to, signal);
    this.#memory.sized.set(this.#name, { resourceVersion, untilMs: this.#nowMs + sizedAgainMs });
    return this.#rest(look, onItsWay);
  }

  /** Keeps pods from a node whose balloon has no size yet; how long until all schedulers know, in milliseconds. */
  async #closed({ node, policy }: Look): Promise<number> {
    const { closed } = this.#memory;
    if (!hasTaint(node, keys.unsized)) await closeUntilSized(this.#deps.kube, this.#name, this.#context.signal);
    if (!hasTaint(node, keys.unsized) || !closed.has(this.#name)) closed.set(this.#name, this.#nowMs);
    return (closed.get(this.#name) ?? 0) + policy.fence.settleMs - this.#nowMs;
  }

  async #begin(act: Extract<Act, { kind: 'resize' }>, look: Look, pod: BalloonPod, object: KubeObject): Promise<Again> {
    if (!this.#memory.slots.take(look.node, look.policy)) return { requeueAfterMs: slotAgainMs };
    if (isForeign(this.#size, pod)) this.#tellOfForeign(pod);
    const how = { fenced: act.fenced, actuated: look.actuator === 'known' };
    const work = { ...planned(act.plan, pod, how, this.#beginning), cpuOnly: act.cpuOnly };
    await this.#write(withTicket(observedStatus(look, this.#wallMs), work, this.#wallMs));
    this.#memory.works.set(this.#name, work);
    if (!work.fenced) return this.#drive(work, look, object);
    const untilMs = this.#wallMs + look.policy.fence.maxMs;
    await raiseFence(this.#deps.kube, this.#name, { value: work.id, untilMs }, this.#context.signal);
    const { phase } = work;
    // Settling counts from the moment the fence stands.
    return this.#drive(
      phase.kind === 'settling' ? { ...work, phase: { ...phase, sinceMs: this.#nowMs } } : work,
      look,
      object,
    );
  }

  async #takeBack(ending: Ending, look: Look, pod: BalloonPod, object: KubeObject): Promise<Again> {
    if (look.size.spec.mode !== 'External') this.#tellOfForeign(pod);
    return this.#drive(takingBack(pod, ending, this.#beginning), look, object);
  }

  #tellOfForeign({ namespace, name }: BalloonPod): void {
    const message = `somebody resized pod ${namespace}/${name}; NodeSize ${this.#name} says how large it is`;
    this.#context.events.event(this.#size, 'Warning', 'ExternalResizeReverted', message);
  }

  async #drive(work: ResizeWork, look: Look, object: KubeObject | undefined): Promise<Again> {
    this.#memory.works.set(this.#name, work);
    const driven = await driveResize(work, this.#scene(look, object), {
      kube: this.#deps.kube,
      signal: this.#context.signal,
      metrics: this.#deps.metrics,
    });
    if (driven.kind === 'closed') return this.#close(work, driven, look);
    if (driven.work.to !== work.to) await this.#write(withTarget(this.#size.status ?? {}, driven.work));
    this.#memory.works.set(this.#name, driven.work);
    const { actuated } = driven;
    const { actuator } = look.policy;
    if (actuated && actuator)
      await this.#write(withActuator(this.#size.status ?? {}, actuator, driven.work, actuated, this.#wallMs));
    return { requeueAfterMs: driven.againInMs };
  }

  async #close(work: ResizeWork, driven: Extract<Driven, { kind: 'closed' }>, look: Look): Promise<Again> {
    const { ending, actuated } = driven;
    const isDone = ending.result === 'Succeeded' || ending.result === 'Partial';
    if (isDone) this.#memory.holds.clear(this.#name);
    else this.#holdOff(ending, work);
    const now: Look = { ...look, size: this.#size, pod: driven.pod && readBalloonPod(driven.pod) };
    const ended = finished(work, ending, this.#wallMs, this.#nowMs - work.startedMs);
    let status = withEnding(observedStatus(now, this.#wallMs), ended, this.#wallMs);
    if (work.generation === this.#size.metadata.generation && isAnswer(ending)) status = answered(status, this.#size);
    if (actuated && look.policy.actuator)
      status = withActuator(status, look.policy.actuator, work, actuated, this.#wallMs);
    const notReady = isDone ? undefined : waits(ending.message).notReady;
    await this.#write(judged(status, this.#wallMs, notReady, degradationOf(ending)));
    this.#memory.works.delete(this.#name);
    this.#memory.slots.release(this.#name);
    return { requeueAfterMs: isDone ? 0 : this.#heldMs };
  }

  #holdOff(ending: Ending, { podUID }: ResizeWork): void {
    if (!isAnswer(ending)) return;
    // Without its memory it is another resize, which is tried at once.
    if (degradationOf(ending)?.reason === 'SwapBlocksMemory') return void this.#memory.stuck.set(this.#name, podUID);
    const atLeastMs = ending.result === 'Rejected' || ending.result === 'Infeasible' ? rejectedHoldMs : 0;
    this.#memory.holds.note(this.#name, this.#generation, this.#nowMs, atLeastMs);
  }

  /** Answers a spec for which nothing was done. */
  async #answer(look: Look, { ending, from, notReady }: Extract<Act, { kind: 'answer' }>): Promise<Again> {
    const to = look.pod?.allocated ?? look.policy.limits.minBalloon;
    const direction = from && !sameAmounts(from, to) ? directionOf(from, to) : 'Down';
    const work = { id: this.#beginning.id, direction, from: from ?? to, to };
    const ended = finished(work, ending, this.#wallMs, 0);
    const status = answered(withEnding(observedStatus(look, this.#wallMs), ended, this.#wallMs), this.#size);
    await this.#write(judged(status, this.#wallMs, notReady, undefined));
    return {};
  }

  /** Nothing to do. Writes only what has changed, which mostly is nothing. */
  async #rest(look: Look, rest: Omit<Extract<Act, { kind: 'rest' }>, 'kind'>): Promise<Again> {
    let status = observedStatus(look, this.#wallMs);
    if (this.#size.spec.mode === 'External' && look.policy.enabled) status = answered(status, this.#size);
    await this.#write(judged(status, this.#wallMs, rest.notReady, rest.degradation));
    const { pod } = look;
    const isCarriedOut = !pod || sameAmounts(pod.actual, pod.allocated) || status.balloon?.actual !== undefined;
    const isAllTold = isCarriedOut && sameAmounts(parseAmounts(status.requested), look.requested);
    const waits = [rest.againInMs, isAllTold ? undefined : longQuietMs - look.quietMs].filter((ms) => ms !== undefined);
    return waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) };
  }

  /** Its node has back all it had, or is no more. */
  async #letGo(): Promise<Again> {
    const change = (draft: NodeSize) => removeFinalizer(draft, keys.restore);
    await this.#deps.kube.resource(NodeSize).mutate({ name: this.#name }, change, { signal: this.#context.signal });
    return {};
  }

  async #withoutNode(): Promise<Again> {
    this.#memory.works.delete(this.#name);
    this.#memory.slots.release(this.#name);
    if (this.#size.metadata.deletionTimestamp) return this.#letGo();
    const { status = {} } = this.#size;
    const message = 'there is no such node';
    const ending: Ending = { result: 'NodeGone', reason: 'NodeGone', message };
    const work = status.resize && inherited(status.resize, this.#nowMs);
    const closed = work ? withEnding(status, finished(work, ending, this.#wallMs, 0), this.#wallMs) : status;
    await this.#write(judged(closed, this.#wallMs, waits(message).notReady, undefined));
    return {};
  }

  async #unmanaged(node: NodeView): Promise<Again> {
    await openNode(this.#deps.kube, node, true, this.#context.signal);
    if (this.#size.metadata.deletionTimestamp) return this.#letGo();
    const disabled = { reason: 'Disabled', message: 'no policy manages the node' } as const;
    await this.#write(judged(this.#size.status ?? {}, this.#wallMs, disabled, undefined));
    return {};
  }

  #look(node: NodeView, policy: PolicySettings, object: KubeObject | undefined): Look {
    const { world, actuators } = this.#deps;
    const { actuator } = policy;
    return {
      size: this.#size,
      node,
      policy,
      pod: object && readBalloonPod(object),
      requested: world.requestedBeside(this.#name, object?.metadata.uid),
      awaited: world.requested.isAwaited(this.#name),
      heldMs: this.#heldMs,
      rival: this.#deps.rivalOf(node),
      recommended: this.#deps.recommendedFor(this.#name),
      memoryStuck: object !== undefined && this.#memory.stuck.get(this.#name) === object.metadata.uid,
      quietMs: this.#quietMs,
      actuator: actuator === undefined ? 'none' : actuators.has(actuator) ? 'known' : 'missing',
    };
  }

  #scene(look: Look, pod: KubeObject | undefined): ResizeScene {
    const input = look.pod && planInput(look, look.pod);
    const { actuator = '' } = look.policy;
    return {
      node: look.node,
      nodeName: this.#name,
      pod,
      generation: this.#generation,
      policy: look.policy,
      actuator: this.#deps.actuators.get(actuator),
      input: typeof input === 'string' ? undefined : input,
      awaited: look.awaited,
    };
  }

  async #write(status: NodeSizeStatus): Promise<void> {
    if (sameJson(status, this.#size.status ?? {})) return;
    const before = this.#size;
    const after = await this.#deps.kube
      .resource(NodeSize)
      .replaceStatus({ ...before, status }, { signal: this.#context.signal });
    this.#size = this.#memory.own.note(before, after);
    this.#memory.toldMs.set(this.#name, this.#nowMs);
  }

  get #beginning(): Beginning {
    const { deadlineSeconds = defaultDeadlineSeconds } = this.#size.spec;
    const id = ticketId(this.#generation, this.#deps.random);
    return { id, generation: this.#generation, nowMs: this.#nowMs, withinMs: deadlineSeconds * 1000 };
  }

  get #generation(): number {
    return this.#size.metadata.generation ?? 0;
  }

  get #heldMs(): number {
    return this.#memory.holds.leftMs(this.#name, this.#generation, this.#nowMs);
  }

  /** Who has just begun to lead has heard everything now. */
  get #quietMs(): number {
    const toldMs = this.#memory.toldMs.get(this.#name) ?? this.#nowMs;
    this.#memory.toldMs.set(this.#name, toldMs);
    return this.#nowMs - toldMs;
  }

  /** For deadlines: it never jumps. */
  get #nowMs(): number {
    return this.#deps.kube.clock.monotonicMs();
  }

  /** For what people read. */
  get #wallMs(): number {
    return this.#context.now();
  }
}

function waits(message: string) {
  return { notReady: { reason: 'Waiting', message } } as const;
}
