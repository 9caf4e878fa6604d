import type { Kube, KubeObject, ReconcileContext, Reconciler } from '@slipway/kube';
import type { Actuator } from '../actuators/actuator.js';
import type { PriorityMode } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import { NodeSize, type NodeSizeStatus } from '../api/node-size.js';
import { hasTaint, type NodeView } from '../nodes/node-view.js';
import {
  type Amounts,
  type AmountsText,
  formatCpu,
  formatMemory,
  nothing,
  parseAmounts,
  sameAmounts,
  within,
} from '../planner/amounts.js';
import { leavesLittleRoom, type OutOfBounds, type PlanInput, planSize, type Resize } from '../planner/plan-size.js';
import { fullSize, readWish, type SizeWish } from '../planner/size-wish.js';
import { type BalloonPod, readBalloonPod } from '../pods/balloon-pod.js';
import { whyUnsafe } from '../priority/priority-modes.js';
import type { Ending, ResizeWork } from '../ticket/resize-work.js';
import { admitGatedPod } from './admit-gated-pod.js';
import { type BalloonWorld, isGated } from './balloon-world.js';
import { type Driven, driveResize, fenceFirst, type ResizeScene } from './drive-resize.js';
import { lowerFence, openSized } from './fence.js';
import { HoldOff } from './hold-off.js';
import { OwnWrites } from './own-writes.js';
import type { PolicySettings } from './policy-settings.js';
import { degradationOf } from './refusals.js';
import { shortfallInWords, sizeProblem } from './size-problem.js';
import {
  answered,
  type Degradation,
  finished,
  judged,
  type NotReady,
  observedStatus,
  type StatusFacts,
  withEnding,
  withTicket,
} from './size-status.js';

export interface SizeReconcilerDeps {
  readonly kube: Kube;
  readonly world: BalloonWorld;
  /** The policy that manages a node, with its defaults; undefined when none does. */
  readonly policyOf: (node: NodeView) => PolicySettings | undefined;
  /** What a policy's `actuatorRef` stands for here. */
  readonly actuators: ReadonlyMap<string, Actuator>;
  readonly priorityMode: (policy: string) => Exclude<PriorityMode, 'Auto'>;
  /** The API server keeps `spec.podPreemptionPolicy` of nodes. */
  readonly gateVerified: () => boolean;
  readonly random: () => number;
}

/** Times of a resize without actuator that a spec may ask for; in seconds. */
const defaultDeadlineSeconds = 30;
/** What admission refused is not asked again for this long. */
const rejectedHoldMs = 5 * 60_000;

/**
 * Brings one node to the size that its NodeSize asks for.
 *
 * Everything that is done to a pod is written into the NodeSize before, as a ticket;
 * how it ended is written in its place. Between the two a resize is carried on by
 * whatever happens next: a pod that changed, a timer, another leader.
 */
export function sizeReconciler(deps: SizeReconcilerDeps): Reconciler {
  const own = new OwnWrites<NodeSize>();
  const works = new Map<string, ResizeWork>();
  const holds = new HoldOff();
  return async ({ name }, context) => {
    const stored = deps.world.sizes.get({ name });
    if (!stored) {
      works.delete(name);
      return {};
    }
    const size = own.newest(stored as NodeSize);
    return await new Turn(deps, { own, works, holds }, name, size, context).run();
  };
}

interface Memory {
  readonly own: OwnWrites<NodeSize>;
  readonly works: Map<string, ResizeWork>;
  readonly holds: HoldOff;
}

interface Again {
  readonly requeueAfterMs?: number;
}

/** One look at one node. */
class Turn {
  readonly #deps: SizeReconcilerDeps;
  readonly #memory: Memory;
  readonly #name: string;
  readonly #context: ReconcileContext;
  #size: NodeSize;

  constructor(deps: SizeReconcilerDeps, memory: Memory, name: string, size: NodeSize, context: ReconcileContext) {
    this.#deps = deps;
    this.#memory = memory;
    this.#name = name;
    this.#size = size;
    this.#context = context;
  }

  async run(): Promise<Again> {
    const node = this.#deps.world.node(this.#name);
    if (!node) return {};
    const policy = this.#deps.policyOf(node);
    if (!policy) return this.#unmanaged();
    const pod = this.#deps.world.balloonOf(this.#name);
    const facts = this.#facts(node, policy, pod);

    const work = this.#memory.works.get(this.#name) ?? this.#inherited();
    if (work) return this.#drive(work, facts, pod);
    if (pod && isGated(pod)) return this.#admit(facts, pod);
    await this.#sweepFence(node, pod);
    return this.#plan(facts, pod);
  }

  async #plan(facts: StatusFacts, object: KubeObject | undefined): Promise<Again> {
    const { size, pod } = facts;
    if (size.spec.paused) return this.#rest(facts, { reason: 'Paused', message: 'spec.paused is set' });
    if (size.spec.mode === 'External') return this.#rest(facts, undefined);
    if (!object || !pod?.running || pod.deleting) return this.#withoutBalloon(facts);
    if (pod.pending || !within(pod.desired, pod.allocated)) return this.#takeBackForeign(facts, object, pod);
    if (!sameAmounts(pod.desired, pod.allocated)) {
      return this.#rest(facts, {
        reason: 'Waiting',
        message: 'the kubelet has not let go of what the balloon gives back',
      });
    }
    const input = this.#input(facts, pod);
    if (typeof input === 'string') return this.#refuse(facts, input);
    const problem = this.#isAnswered ? undefined : sizeProblem(planBounds(input));
    if (problem) return this.#refuse(facts, problem);

    const plan = planSize(input);
    if (plan.kind === 'at-size') return this.#atSize(facts);
    if (plan.kind === 'does-not-fit') return this.#doesNotFit(facts, input, plan);
    const obstacle = this.#obstacle(facts, object, plan);
    if (obstacle) return obstacle;
    return this.#open(facts, object, pod, input, plan);
  }

  /** Why nothing may be hidden here now, as what is to be done about it. */
  #obstacle(facts: StatusFacts, object: KubeObject, plan: Resize): Promise<Again> | undefined {
    const { node, size } = facts;
    const heldMs = this.#memory.holds.leftMs(this.#name, this.#generation, this.#nowMs);
    if (heldMs > 0)
      return this.#rest(facts, waiting(size.status?.lastResize?.message ?? 'it failed'), undefined, heldMs);
    if (plan.direction === 'Up') return undefined;
    if (!node.ready) return this.#rest(facts, waiting('the node is not ready'));
    if (node.leaving) return this.#rest(facts, waiting('the node is cordoned'));
    const unsafe = whyUnsafe({
      priority: object.spec?.priority ?? 0,
      preemptionPolicy: object.spec?.preemptionPolicy,
      priorityClassName: object.spec?.priorityClassName ?? '',
      node,
      gateVerified: this.#deps.gateVerified(),
    });
    if (unsafe) return this.#rest(facts, waiting(unsafe), { reason: 'PriorityUnsafe', message: unsafe });
    return undefined;
  }

  async #open(facts: StatusFacts, object: KubeObject, pod: BalloonPod, input: PlanInput, plan: Resize): Promise<Again> {
    const { policy, size } = facts;
    const actuator = this.#actuatorOf(policy);
    const fenceMode = size.spec.fence ?? policy.fence.mode;
    const tight = plan.direction !== 'Up' && leavesLittleRoom(input, plan.to, policy.fence.headroomPercent);
    const fenced = fenceMode === 'Always' || (fenceMode === 'Auto' && (tight || actuator !== undefined));
    const work: ResizeWork = {
      id: ticketId(this.#generation, this.#deps.random),
      direction: plan.direction,
      from: plan.from,
      to: plan.to,
      patches: plan.patches,
      podUID: pod.uid,
      generation: this.#generation,
      partial: plan.partial,
      fenced,
      startedMs: this.#nowMs,
      phase: firstPhase(plan, fenced, actuator !== undefined, this.#nowMs),
    };
    const deadlineMs = (size.spec.deadlineSeconds ?? defaultDeadlineSeconds) * 1000;
    await this.#write(withTicket(observedStatus(facts), work, facts, deadlineMs));
    if (fenced) await fenceFirst(work, this.#scene(facts, object), this.#driveDeps);
    return this.#drive({ ...work, phase: startedNow(work.phase, this.#nowMs) }, facts, object);
  }

  async #drive(work: ResizeWork, facts: StatusFacts, object: KubeObject | undefined): Promise<Again> {
    this.#memory.works.set(this.#name, work);
    const driven = await driveResize(work, this.#scene(facts, object), this.#driveDeps);
    if (driven.kind === 'open') {
      this.#memory.works.set(this.#name, driven.work);
      return { requeueAfterMs: driven.againInMs };
    }
    return this.#close(work, driven, facts);
  }

  async #close(work: ResizeWork, driven: Extract<Driven, { kind: 'closed' }>, facts: StatusFacts): Promise<Again> {
    const { ending } = driven;
    const durationMs = this.#nowMs - work.startedMs;
    const isDone = ending.result === 'Succeeded' || ending.result === 'Partial';
    if (isDone) this.#memory.holds.clear(this.#name);
    else this.#holdOff(ending);
    const pod = this.#deps.world.balloonOf(this.#name);
    const now = this.#facts(facts.node, facts.policy, pod);
    let status = withEnding(observedStatus(now), finished(work, ending, now.nowMs, durationMs), now);
    if (work.generation === this.#generation) status = answered(status, this.#size);
    if (driven.actuated && facts.policy.actuator) status = withActuator(status, facts.policy.actuator, work, driven);
    status = judged(status, now.nowMs, isDone ? undefined : waiting(ending.message), degradationOf(ending));
    await this.#write(status);
    this.#memory.works.delete(this.#name);
    return { requeueAfterMs: isDone ? 0 : this.#memory.holds.leftMs(this.#name, this.#generation, this.#nowMs) };
  }

  #holdOff({ result, reason }: Ending): void {
    if (result === 'Superseded' || result === 'PodReplaced' || reason === 'LeaderChanged') return;
    const atLeastMs = result === 'Rejected' || result === 'Infeasible' ? rejectedHoldMs : 0;
    this.#memory.holds.note(this.#name, this.#generation, this.#nowMs, atLeastMs);
  }

  /** Somebody else asked for more on our behalf. What the kubelet has not taken is taken back, what it has is planned over. */
  async #takeBackForeign(facts: StatusFacts, object: KubeObject, pod: BalloonPod): Promise<Again> {
    this.#context.events.event(
      this.#size,
      'Warning',
      'ExternalResizeReverted',
      `somebody resized pod ${pod.namespace}/${pod.name}; NodeSize ${this.#name} says how large it is`,
    );
    const asked = { podUID: pod.uid, to: pod.desired, podGeneration: pod.generation };
    const ending: Ending = {
      result: 'RolledBack',
      reason: 'ExternalResize',
      message: 'somebody else resized the balloon pod',
    };
    const work: ResizeWork = {
      id: ticketId(this.#generation, this.#deps.random),
      direction: 'Down',
      from: pod.allocated,
      to: pod.desired,
      patches: [],
      podUID: pod.uid,
      generation: this.#generation,
      partial: false,
      fenced: false,
      startedMs: this.#nowMs,
      phase: { kind: 'rolling-back', asked, ending, sinceMs: this.#nowMs },
    };
    return this.#drive(work, facts, object);
  }

  async #admit(facts: StatusFacts, object: KubeObject): Promise<Again> {
    const pod = readBalloonPod(object);
    const read = this.#input(facts, pod);
    const input: PlanInput = typeof read === 'string' ? this.#withWish(facts, pod, fullSize) : read;
    const mode = this.#deps.priorityMode(facts.policy.name);
    const { kube } = this.#deps;
    await admitGatedPod(
      { kube, node: facts.node, pod: object, input, grow: mode !== 'Protected' },
      this.#context.signal,
    );
    return this.#rest(facts, waiting('the balloon pod is on its way'));
  }

  async #sweepFence(node: NodeView, pod: KubeObject | undefined): Promise<void> {
    const { kube } = this.#deps;
    if (hasTaint(node, keys.resizing)) await lowerFence(kube, this.#name, this.#context.signal);
    const running = pod?.status?.phase === 'Running' && pod.metadata.deletionTimestamp === undefined;
    if (running && hasTaint(node, keys.unsized)) await openSized(kube, this.#name, this.#context.signal);
  }

  async #withoutBalloon(facts: StatusFacts): Promise<Again> {
    const message = 'no balloon pod runs on the node, so all of it is there for pods';
    return this.#rest(facts, waiting(message), { reason: 'BalloonMissing', message });
  }

  async #atSize(facts: StatusFacts): Promise<Again> {
    this.#memory.holds.clear(this.#name);
    if (this.#isAnswered) return this.#rest(facts, undefined);
    const ending: Ending = { result: 'NoChange', reason: 'AtSize', message: 'the node had that size already' };
    return this.#answer(facts, ending, undefined);
  }

  async #doesNotFit(
    facts: StatusFacts,
    input: PlanInput,
    plan: Extract<ReturnType<typeof planSize>, { kind: 'does-not-fit' }>,
  ) {
    const message = shortfallInWords(input, plan);
    if (this.#isAnswered && facts.size.status?.lastResize?.result === 'DoesNotFit')
      return this.#rest(facts, waiting(message));
    return this.#answer(facts, { result: 'DoesNotFit', reason: 'PodsUseIt', message }, waiting(message));
  }

  async #refuse(facts: StatusFacts, message: string): Promise<Again> {
    if (this.#isAnswered) return this.#rest(facts, waiting(message));
    return this.#answer(facts, { result: 'Rejected', reason: 'OutOfBounds', message }, waiting(message));
  }

  /** Answers a spec for which nothing was done. */
  async #answer(facts: StatusFacts, ending: Ending, notReady: NotReady | undefined): Promise<Again> {
    const balloon = facts.pod?.allocated ?? facts.policy.limits.minBalloon;
    const work = {
      id: ticketId(this.#generation, this.#deps.random),
      direction: 'Down' as const,
      from: balloon,
      to: balloon,
    };
    const status = withEnding(observedStatus(facts), finished(work, ending, facts.nowMs, 0), facts);
    await this.#write(judged(answered(status, facts.size), facts.nowMs, notReady, undefined));
    return {};
  }

  /** Nothing to do. Writes only what has changed, which mostly is nothing. */
  async #rest(
    facts: StatusFacts,
    notReady: NotReady | undefined,
    degradation?: Degradation,
    againInMs?: number,
  ): Promise<Again> {
    let status = observedStatus(facts);
    if (facts.size.spec.mode === 'External' || this.#isAnswered) status = answered(status, facts.size);
    await this.#write(judged(status, facts.nowMs, notReady, degradation));
    return againInMs === undefined ? {} : { requeueAfterMs: againInMs };
  }

  async #unmanaged(): Promise<Again> {
    const status = judged(
      this.#size.status ?? {},
      this.#context.now(),
      { reason: 'Disabled', message: 'no policy manages the node' },
      undefined,
    );
    await this.#write(status);
    return {};
  }

  #inherited(): ResizeWork | undefined {
    const ticket = this.#size.status?.resize;
    if (!ticket) return undefined;
    return {
      id: ticket.id,
      direction: ticket.direction,
      from: parseAmounts(ticket.from),
      to: parseAmounts(ticket.to),
      patches: [],
      podUID: ticket.podUID,
      generation: -1,
      partial: false,
      fenced: ticket.fenced,
      startedMs: this.#nowMs,
      phase: { kind: 'inherited' },
    };
  }

  #facts(node: NodeView, policy: PolicySettings, object: KubeObject | undefined): StatusFacts {
    return {
      size: this.#size,
      node,
      policy,
      pod: object && !isGated(object) ? readBalloonPod(object) : undefined,
      requested: this.#deps.world.requested.of(this.#name),
      nowMs: this.#context.now(),
    };
  }

  #scene(facts: StatusFacts, pod: KubeObject | undefined): ResizeScene {
    const input = facts.pod && this.#input(facts, facts.pod);
    return {
      node: facts.node,
      nodeName: this.#name,
      pod,
      generation: this.#generation,
      policy: facts.policy,
      actuator: this.#actuatorOf(facts.policy),
      input: typeof input === 'string' ? undefined : input,
      awaited: this.#deps.world.requested.isAwaited(this.#name),
    };
  }

  /** What a plan is made from, or why the spec cannot be read. */
  #input(facts: StatusFacts, pod: BalloonPod): PlanInput | string {
    try {
      const wish = facts.policy.enabled ? readWish(facts.size.spec) : fullSize;
      return this.#withWish(facts, pod, wish);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #withWish({ node, policy, requested, size }: StatusFacts, pod: BalloonPod, wish: SizeWish): PlanInput {
    return {
      allocatable: node.allocatable,
      requested,
      balloon: pod.allocated,
      wish,
      fit: size.spec.fit ?? 'Exact',
      limits: policy.limits,
    };
  }

  #actuatorOf({ actuator }: PolicySettings): Actuator | undefined {
    return actuator === undefined ? undefined : this.#deps.actuators.get(actuator);
  }

  async #write(status: NodeSizeStatus): Promise<void> {
    if (JSON.stringify(status) === JSON.stringify(this.#size.status ?? {})) return;
    const before = this.#size;
    const after = await this.#deps.kube
      .resource(NodeSize)
      .replaceStatus({ ...before, status }, { signal: this.#context.signal });
    this.#size = this.#memory.own.note(before, after);
  }

  get #generation(): number {
    return this.#size.metadata.generation ?? 0;
  }

  get #isAnswered(): boolean {
    return this.#size.status?.observedGeneration === this.#generation;
  }

  get #nowMs(): number {
    return this.#deps.kube.clock.monotonicMs();
  }

  get #driveDeps() {
    return { kube: this.#deps.kube, signal: this.#context.signal };
  }
}

function waiting(message: string): NotReady {
  return { reason: 'Waiting', message };
}

function firstPhase(plan: Resize, fenced: boolean, actuated: boolean, nowMs: number): ResizeWork['phase'] {
  if (plan.direction === 'Up') return actuated ? { kind: 'growing' } : { kind: 'checking' };
  return fenced ? { kind: 'settling', sinceMs: nowMs } : { kind: 'checking' };
}

/** Settling counts from the moment the fence stands. */
function startedNow(phase: ResizeWork['phase'], nowMs: number): ResizeWork['phase'] {
  return phase.kind === 'settling' ? { ...phase, sinceMs: nowMs } : phase;
}

function planBounds(input: PlanInput): readonly OutOfBounds[] {
  const plan = planSize({ ...input, requested: nothing, fit: 'BestEffort' });
  return plan.kind === 'does-not-fit' ? [] : plan.outside;
}

function withActuator(
  status: NodeSizeStatus,
  name: string,
  work: ResizeWork,
  { actuated }: Extract<Driven, { kind: 'closed' }>,
): NodeSizeStatus {
  if (!actuated) return status;
  const phase = actuated.state === 'Done' ? 'InSync' : actuated.state === 'Failed' ? 'Error' : 'Unknown';
  const granted = actuated.granted && grantedText(actuated.granted);
  const { message } = actuated;
  return {
    ...status,
    actuator: { name, phase, operationID: work.id, ...(granted && { granted }), ...(message && { message }) },
  };
}

function grantedText({ cpu, memory }: Partial<Amounts>): AmountsText {
  return {
    ...(cpu !== undefined && { cpu: formatCpu(cpu) }),
    ...(memory !== undefined && { memory: formatMemory(memory) }),
  };
}

function ticketId(generation: number, random: () => number): string {
  const letters = Array.from({ length: 4 }, () => 'bcdfghjklmnpqrstvwxz'[Math.floor(random() * 20)]).join('');
  return `${generation}-${letters}`;
}
