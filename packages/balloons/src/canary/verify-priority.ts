import { hasReason, type Kube, type KubeObject, sleep } from '@slipway/kube';
import { type Amounts, parseAmounts } from '../planner/amounts.js';
import { readBalloonPod } from '../pods/balloon-pod.js';
import { patchPodSize } from '../pods/patch-balloon.js';
import { Pod } from '../pods/pod.js';
import { type EffectiveMode, PriorityClass, priorityClassOf } from '../priority/priority-modes.js';
import { type CanaryAmounts, canaryAmounts, type Rival, rivalsOf } from './canary-plan.js';
import { type CanaryPlace, type CanaryPod, canaryPod, rivalClass } from './canary-pods.js';
import { clearCanary, closeNode } from './clear-canary.js';

export interface VerifyPriorityOptions extends CanaryPlace {
  readonly mode: EffectiveMode;
  /** What is free on the node, in thousandths of a core; at least `leastMilliCpu`. */
  readonly freeMilliCpu: bigint;
  /** How long each pod that could lose its place is watched, in milliseconds. */
  readonly watchMs: number;
}

/** What one trial showed. `unknown`: it could not be carried out. */
export interface CanaryAnswer {
  readonly check: string;
  readonly answer: 'yes' | 'no' | 'unknown';
  readonly message: string;
}

/** A pod that was to run does so within this. */
const startsWithinMs = 60_000;
const lookEveryMs = 200;

/**
 * Tries on a live node whether pods of the balloon's class take the place of others, or lose
 * theirs. All who could lose are pods of its own: the node must run nothing but critical
 * pods and a balloon that hides nothing. It is cordoned meanwhile; whatever happens, all
 * that was made is taken away again, also what an earlier canary left that was killed.
 * @throws StatusError, UnreachableError
 */
export async function verifyPriority(
  kube: Kube,
  options: VerifyPriorityOptions,
  signal: AbortSignal,
): Promise<readonly CanaryAnswer[]> {
  await clearCanary(kube, options, signal);
  try {
    await closeNode(kube, options.node, signal);
    return await new Canary(kube, options, signal).run();
  } finally {
    // What was made goes, also when we are asked to stop.
    await clearCanary(kube, options, new AbortController().signal);
  }
}

class Canary {
  readonly #kube: Kube;
  readonly #options: VerifyPriorityOptions;
  readonly #signal: AbortSignal;
  readonly #amounts: CanaryAmounts;
  readonly #className: string;

  constructor(kube: Kube, options: VerifyPriorityOptions, signal: AbortSignal) {
    this.#kube = kube;
    this.#options = options;
    this.#signal = signal;
    this.#amounts = canaryAmounts(options.freeMilliCpu);
    this.#className = priorityClassOf(options.mode);
  }

  async run(): Promise<readonly CanaryAnswer[]> {
    const { bystander, small, grown } = this.#amounts;
    const byKubelet = { placedBy: 'kubelet' } as const;
    const other = await this.#start({ role: 'bystander', milliCpu: bystander, ...byKubelet });
    const standIn = await this.#start({
      role: 'balloon',
      priorityClassName: this.#className,
      milliCpu: small,
      ...byKubelet,
    });
    if (!other || !standIn) return [unknown('canary pods run', 'they did not come to run within a minute')];
    const answers = [...(await this.#newcomer(other)), await this.#growth(other, standIn)];
    if (answers.some(({ answer }) => answer === 'no')) return answers;
    await this.#remove(other);
    if (!(await this.#resized(standIn, grown)))
      return [...answers, unknown('the stand-in grows', 'its kubelet did not let it')];
    for (const rival of rivalsOf(this.#options.mode)) answers.push(await this.#rival(rival, standIn));
    return answers;
  }

  /** Balloons of mode Protected are made small and grow later, because as new pods they may preempt. */
  async #newcomer(other: KubeObject): Promise<readonly CanaryAnswer[]> {
    if (this.#options.mode === 'Protected') return [];
    const milliCpu = this.#amounts.tooMuch;
    const pod = await this.#create({
      role: 'newcomer',
      priorityClassName: this.#className,
      milliCpu,
      placedBy: 'scheduler',
    });
    const answer = await this.#watch('a new balloon displaces no pod', other, async () => this.#hasNoPlace(pod));
    await this.#remove(pod);
    return [answer];
  }

  async #growth(other: KubeObject, standIn: KubeObject): Promise<CanaryAnswer> {
    await this.#askFor(standIn, this.#amounts.tooMuch);
    const waits = async () => {
      const pod = await this.#find(standIn);
      return pod !== undefined && readBalloonPod(pod).pending?.reason === 'Deferred';
    };
    const answer = await this.#watch('a balloon that grows displaces no pod', other, waits);
    await this.#askFor(standIn, this.#amounts.small);
    return answer;
  }

  async #rival({ what, className, placedBy }: Rival, standIn: KubeObject): Promise<CanaryAnswer> {
    const priorityClassName = className ?? (await this.#ownClass());
    const pod = await this.#create({ role: 'rival', priorityClassName, milliCpu: this.#amounts.rival, placedBy });
    const answer = await this.#watch(`${what} does not take a balloon's place`, standIn, () => this.#hasNoPlace(pod));
    await this.#remove(pod);
    return answer;
  }

  /** Whether a pod stays where it is, and what could have taken its place has to wait. */
  async #watch(check: string, pod: KubeObject, waits: () => Promise<boolean>): Promise<CanaryAnswer> {
    const untilMs = this.#nowMs + this.#options.watchMs;
    while (this.#nowMs < untilMs) {
      const lost = await this.#fate(pod);
      if (lost) return { check, answer: 'no', message: `${pod.metadata.name}: ${lost}` };
      await this.#pause();
    }
    if (await waits()) return { check, answer: 'yes', message: `watched for ${this.#options.watchMs / 1000} s` };
    return unknown(check, 'the pod that should have waited got a place, or no scheduler tried it');
  }

  /** How a pod lost its place; undefined while it has it. */
  async #fate({ metadata }: KubeObject): Promise<string | undefined> {
    const pod = await this.#find({ metadata });
    if (!pod || pod.metadata.uid !== metadata.uid) return 'it is gone';
    if (pod.status?.phase === 'Failed') return `it was ended: ${pod.status.reason ?? 'Failed'}`;
    const { disruption } = readBalloonPod(pod);
    return disruption === undefined ? undefined : `it is to go: ${disruption}`;
  }

  /** No scheduler found it a place, or its kubelet rejected it. */
  async #hasNoPlace(pod: KubeObject): Promise<boolean> {
    const found = await this.#find(pod);
    if (found?.spec?.nodeName) return found.status?.phase === 'Failed';
    return found !== undefined && readBalloonPod(found).unschedulable;
  }

  async #start(wanted: CanaryPod): Promise<KubeObject | undefined> {
    const pod = await this.#create(wanted);
    return (await this.#until(async () => (await this.#find(pod))?.status?.phase === 'Running')) ? pod : undefined;
  }

  async #resized(standIn: KubeObject, milliCpu: bigint): Promise<boolean> {
    await this.#askFor(standIn, milliCpu);
    return this.#until(async () => {
      const pod = await this.#find(standIn);
      return pod !== undefined && readBalloonPod(pod).allocated.cpu === milliCpu;
    });
  }

  async #askFor(standIn: KubeObject, milliCpu: bigint): Promise<void> {
    const to: Amounts = { ...parseAmounts({ memory: '8Mi' }), cpu: milliCpu };
    for (let attempt = 0; ; attempt++) {
      const pod = await this.#find(standIn);
      if (!pod) return;
      try {
        await patchPodSize(this.#kube, pod, to, this.#signal);
        return;
      } catch (error) {
        if (!hasReason(error, 'Conflict') || attempt >= 5) throw error;
      }
    }
  }

  async #ownClass(): Promise<string> {
    const wanted = rivalClass(this.#options);
    const classes = this.#kube.resource(PriorityClass);
    const name = wanted.metadata.name ?? '';
    if (!(await classes.find({ name }, this.#signal))) await classes.create(wanted, { signal: this.#signal });
    return name;
  }

  #create(wanted: CanaryPod): Promise<KubeObject> {
    return this.#kube.resource(Pod).create(canaryPod(this.#options, wanted), { signal: this.#signal });
  }

  async #remove(pod: KubeObject): Promise<void> {
    const { name = '', namespace } = pod.metadata;
    await this.#kube.resource(Pod).delete({ name, namespace }, { gracePeriodSeconds: 0, signal: this.#signal });
    await this.#until(async () => (await this.#find(pod)) === undefined);
  }

  #find({ metadata: { name = '', namespace } }: Pick<KubeObject, 'metadata'>): Promise<KubeObject | undefined> {
    return this.#kube.resource(Pod).find({ name, namespace }, this.#signal);
  }

  async #until(isSo: () => Promise<boolean>): Promise<boolean> {
    const untilMs = this.#nowMs + startsWithinMs;
    while (this.#nowMs < untilMs) {
      if (await isSo()) return true;
      await this.#pause();
    }
    return false;
  }

  #pause(): Promise<void> {
    return sleep(this.#kube.clock, lookEveryMs, this.#signal);
  }

  get #nowMs(): number {
    return this.#kube.clock.monotonicMs();
  }
}

function unknown(check: string, message: string): CanaryAnswer {
  return { check, answer: 'unknown', message };
}
