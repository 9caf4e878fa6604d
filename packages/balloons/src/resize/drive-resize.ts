import { hasReason, type Kube, type KubeObject, StatusError } from '@slipway/kube';
import type { Actuator, ActuatorAnswer } from '../actuators/actuator.js';
import type { BalloonMetrics } from '../metrics/balloon-metrics.js';
import { lowerFence } from '../nodes/fence.js';
import type { NodeView } from '../nodes/node-view.js';
import { minus, sameAmounts } from '../planner/amounts.js';
import type { Direction, PlanInput } from '../planner/plan-size.js';
import { type BalloonPod, readBalloonPod } from '../pods/balloon-pod.js';
import { askForSize } from '../pods/patch-balloon.js';
import { Pod } from '../pods/pod.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import {
  afterLook,
  done,
  type Ending,
  type NextStep,
  nextStep,
  type ResizeWork,
  type Seen,
  type StepTimes,
  type WorkPhase,
} from '../ticket/resize-work.js';
import { phaseEnded, type TimedPhase } from '../ticket/timed-phase.js';
import { checkPlan, requestedNow } from './check-plan.js';
import { refusedEnding } from './refusals.js';
import { within } from './time-limit.js';

/** What a resize works on, read anew each time it is carried on. */
export interface ResizeScene {
  readonly node: NodeView | undefined;
  readonly nodeName: string;
  readonly pod: KubeObject | undefined;
  readonly generation: number;
  readonly policy: PolicySettings;
  readonly actuator: Actuator | undefined;
  /** What a plan would be made from now; undefined when the spec cannot be read any more. */
  readonly input: PlanInput | undefined;
  /** A pod of the node waits to grow. */
  readonly awaited: boolean;
}

export interface DriveDeps {
  readonly kube: Kube;
  readonly signal: AbortSignal;
  /** Told how long each phase took; nobody when absent. */
  readonly metrics: Pick<BalloonMetrics, 'phaseEnded'> | undefined;
}

/** Where a resize is after as many steps as could be taken at once. */
export type Driven = Seens &
  (
    | { readonly kind: 'open'; readonly work: ResizeWork; readonly againInMs: number }
    | { readonly kind: 'closed'; readonly ending: Ending }
  );

interface Seens {
  /** The pod as it was last seen. */
  readonly pod: KubeObject | undefined;
  /** What the actuator said last, when it was asked. */
  readonly actuated: ActuatorAnswer | undefined;
}

type Outcome =
  | { readonly kind: 'open'; readonly work: ResizeWork; readonly againInMs: number }
  | { readonly kind: 'closed'; readonly ending: Ending };

/** No answer of an actuator is waited for longer; it is asked again. */
const actuatorMs = 30_000;
const askActuatorAgainMs = 500;
/** More than any resize needs, races included. */
const mostSteps = 50;
/** Lost races before a resize is given up and planned anew. */
const maxConflicts = 3;

/** Takes step after step until one has to be waited for, or the resize has ended. */
export async function driveResize(start: ResizeWork, scene: ResizeScene, deps: DriveDeps): Promise<Driven> {
  const driver = new Driver(start, scene, deps);
  let step = driver.first(start);
  for (let steps = 0; steps < mostSteps; steps++) {
    const result = await driver.take(step);
    if (result.kind === 'open' || result.kind === 'closed') return { ...result, ...driver.seens };
    step = result;
  }
  throw new Error(`resize ${start.id} comes to no rest`);
}

class Driver {
  readonly #scene: ResizeScene;
  readonly #deps: DriveDeps;
  readonly #direction: Direction;
  #phase: WorkPhase;
  #conflicts = 0;
  #fenced: boolean;
  readonly #fencedUntilMs: number;
  #pod: KubeObject | undefined;
  #actuated: ActuatorAnswer | undefined;

  constructor(start: ResizeWork, scene: ResizeScene, deps: DriveDeps) {
    this.#fenced = start.fenced;
    this.#direction = start.direction;
    this.#phase = start.phase;
    this.#fencedUntilMs = start.startedMs + scene.policy.fence.maxMs;
    this.#scene = scene;
    this.#deps = deps;
    this.#pod = scene.pod;
  }

  get seens(): Seens {
    return { pod: this.#pod, actuated: this.#actuated };
  }

  first(work: ResizeWork): NextStep {
    return nextStep(work, this.#seen(), this.#times);
  }

  async take(step: NextStep): Promise<NextStep | Outcome> {
    this.#tellPhase('work' in step ? step.work.phase : undefined);
    if (this.#nowMs >= this.#fencedUntilMs) await this.#open();
    switch (step.kind) {
      case 'wait':
        return this.#wait(step.work, step.forMs);
      case 'check':
        return await this.#check(step.work);
      case 'look':
        return await this.#look(step.work);
      case 'take-back':
        return await this.#takeBack(step);
      case 'grow-hardware':
        return await this.#growHardware(step.work);
      case 'shrink-hardware':
        return await this.#shrinkHardware(step.work);
      case 'close':
        await this.#open();
        return { kind: 'closed', ending: step.ending };
    }
  }

  #tellPhase(next: WorkPhase | undefined): void {
    const ended = phaseEnded(this.#phase, next);
    if (ended) this.#told(ended.phase, this.#nowMs - ended.sinceMs);
    if (next) this.#phase = next;
  }

  #told(phase: TimedPhase, tookMs: number): void {
    this.#deps.metrics?.phaseEnded({ direction: this.#direction, phase }, tookMs);
  }

  /** Until something happens, or for so long; but no fence stands longer than its policy lets it. */
  #wait(work: ResizeWork, forMs: number): Outcome {
    const fenceMs = this.#fenced ? this.#fencedUntilMs - this.#nowMs : forMs;
    return { kind: 'open', work: { ...work, fenced: this.#fenced }, againInMs: Math.min(forMs, fenceMs) };
  }

  /** The plan once more, by what is true now; behind a fence by what the API server itself says. Then the patch. */
  async #check(work: ResizeWork): Promise<NextStep | Outcome> {
    const { input, awaited, nodeName } = this.#scene;
    const { kube, signal } = this.#deps;
    const sinceMs = this.#nowMs;
    const object = await this.#readPod();
    if (!object || object.metadata.uid !== work.podUID || !input) {
      return closing('PodReplaced', 'PodReplaced', 'the balloon pod is another one now');
    }
    const requested = work.fenced ? await requestedNow(kube, nodeName, work.podUID, signal) : input.requested;
    const now = { ...input, requested, balloon: readBalloonPod(object).allocated };
    const check = checkPlan(work, now, awaited);
    this.#told('check', this.#nowMs - sinceMs);
    if (check.kind === 'end') return { kind: 'close', ending: check.ending };
    if (check.kind === 'go-on') return this.#patch(work, object);
    const { to, patches, partial } = check.plan;
    return this.#wait({ ...work, to, patches, partial, phase: { kind: 'checking', patch: 0 } }, 0);
  }

  async #patch(work: ResizeWork, pod: KubeObject): Promise<NextStep> {
    const { kube, signal } = this.#deps;
    const { patchMs, verifyMs, observeMs } = this.#scene.policy;
    const patch = work.phase.kind === 'checking' ? work.phase.patch : 0;
    const to = work.patches[patch] ?? work.to;
    const sinceMs = this.#nowMs;
    const observed = (podGeneration: number | undefined, forMs: number): NextStep => {
      this.#told('patch', this.#nowMs - sinceMs);
      const asked = { podUID: work.podUID, to, podGeneration };
      const phase = { kind: 'observing', patch, asked, sinceMs: this.#nowMs } as const;
      return { kind: 'wait', forMs, work: { ...work, phase } };
    };
    try {
      this.#pod = await within({ clock: kube.clock, limitMs: patchMs, signal }, (limited) =>
        askForSize(kube, pod, to, limited),
      );
      return observed(this.#pod.metadata.generation, observeMs);
    } catch (error) {
      if (signal.aborted) throw error;
      const ending = refusedEnding(error);
      if (ending) return { kind: 'close', ending };
      // No answer: it may have arrived. What the pod says later is the answer, and in doubt it is taken back.
      if (!(error instanceof StatusError)) return observed(undefined, verifyMs);
      if (!hasReason(error, 'Conflict')) throw error;
      if (++this.#conflicts < maxConflicts) return { kind: 'check', work };
      return closing('Superseded', 'PodChanged', 'the balloon pod changes too often');
    }
  }

  async #look(work: ResizeWork): Promise<NextStep> {
    await this.#readPod();
    return afterLook(work, this.#seen(), this.#times);
  }

  async #takeBack({ work, to, resourceVersion }: Extract<NextStep, { kind: 'take-back' }>): Promise<NextStep> {
    const { kube, signal } = this.#deps;
    const pod = this.#pod;
    if (!pod || pod.metadata.resourceVersion !== resourceVersion) return this.#look(work);
    try {
      await askForSize(kube, pod, to, signal);
    } catch (error) {
      if (!hasReason(error, 'Conflict')) throw error;
    }
    return this.#look(work);
  }

  async #growHardware(work: ResizeWork): Promise<NextStep | Outcome> {
    const answer = await this.#actuate(work);
    if (answer?.state === 'InProgress') return this.#askAgain(work, answer);
    if (answer && answer.state !== 'Done') return { kind: 'close', ending: actuatorEnding(answer) };
    return { kind: 'check', work: { ...work, phase: { kind: 'checking', patch: 0 } } };
  }

  /** The size stays small whatever the machine says: that is safe. Nobody has to be kept away for it. */
  async #shrinkHardware(work: ResizeWork): Promise<NextStep | Outcome> {
    await this.#open();
    const answer = (await this.#alreadyThere(work)) ?? (await this.#actuate(work));
    if (answer?.state === 'InProgress') return this.#askAgain({ ...work, fenced: false }, answer);
    if (answer && answer.state !== 'Done') return { kind: 'close', ending: actuatorEnding(answer) };
    return { kind: 'close', ending: done(work) };
  }

  /** A machine that was last asked in vain may have done it all the same: what it says now counts. */
  async #alreadyThere({ from, to }: ResizeWork): Promise<ActuatorAnswer | undefined> {
    const { actuator, node, nodeName } = this.#scene;
    if (!actuator || !node || !sameAmounts(from, to)) return undefined;
    const machine = { node: nodeName, providerID: node.providerID };
    const answer = await within(this.#actuatorLimits, (limited) => actuator.observe(machine, limited));
    const wanted = minus(node.allocatable, to);
    const isThere = actuator.resources.every((resource) => answer.granted?.[resource] === wanted[resource]);
    if (answer.state !== 'Done' || !isThere) return undefined;
    this.#actuated = answer;
    return answer;
  }

  #askAgain(work: ResizeWork, { retryAfterMs = askActuatorAgainMs }: ActuatorAnswer): Outcome {
    return { kind: 'open', work, againInMs: retryAfterMs };
  }

  async #actuate(work: ResizeWork): Promise<ActuatorAnswer | undefined> {
    const { actuator, node, nodeName } = this.#scene;
    if (!actuator || !node) return undefined;
    const operation = {
      node: nodeName,
      providerID: node.providerID,
      operationID: work.id,
      from: minus(node.allocatable, work.from),
      to: minus(node.allocatable, work.to),
    };
    this.#actuated = await within(this.#actuatorLimits, (limited) => actuator.ensure(operation, limited));
    return this.#actuated;
  }

  /** Lets new pods onto the node again. */
  async #open(): Promise<void> {
    const { node, nodeName } = this.#scene;
    if (!this.#fenced || !node) return;
    await lowerFence(this.#deps.kube, nodeName, this.#deps.signal);
    this.#fenced = false;
  }

  async #readPod(): Promise<KubeObject | undefined> {
    const { pod } = this.#scene;
    if (!pod) return undefined;
    const { namespace, name = '' } = pod.metadata;
    this.#pod = await this.#deps.kube.resource(Pod).find({ namespace, name }, this.#deps.signal);
    return this.#pod;
  }

  #seen(): Seen {
    const { node, generation } = this.#scene;
    const pod: BalloonPod | undefined = this.#pod && readBalloonPod(this.#pod);
    return { pod, nodeExists: node !== undefined, generation, nowMs: this.#nowMs };
  }

  get #times(): StepTimes {
    const { policy, actuator } = this.#scene;
    const { observeMs, rollbackMs, fence } = policy;
    return { settleMs: fence.settleMs, observeMs, rollbackMs, actuated: actuator !== undefined };
  }

  get #actuatorLimits() {
    return { clock: this.#deps.kube.clock, limitMs: actuatorMs, signal: this.#deps.signal };
  }

  get #nowMs(): number {
    return this.#deps.kube.clock.monotonicMs();
  }
}

function actuatorEnding({ state, message = '' }: ActuatorAnswer): Ending {
  const reason = state === 'Failed' ? 'ActuatorFailed' : 'ActuatorUnknown';
  return { result: 'ActuatorFailed', reason, message: message || 'the actuator says no more than that' };
}

function closing(result: Ending['result'], reason: string, message: string): NextStep {
  return { kind: 'close', ending: { result, reason, message } };
}
