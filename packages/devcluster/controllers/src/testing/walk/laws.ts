import { controllerOf } from '@slipway/kube';
import type { Job } from '@slipway/kube-objects/kinds/api/jobs';
import {
  isActive,
  isFinished,
  isReady,
  isTerminating,
  type Pod,
  podCondition,
} from '@slipway/kube-objects/kinds/api/pods';
import { amountsOfPod } from '@slipway/kube-objects/rules/amounts';
import { decision, isOver } from '../../job/job-conditions.js';
import { revisionOfPod } from '../../stateful-set/identity.js';
import type { Change } from './history.js';
import type { WhoWrote } from './who-wrote.js';

/** Longer than the lag of any component's cache. */
const longReadyMs = 30_000;

/** Of what one component writes: as much as one step of a story can give it to do, and what it may do as time passes. */
const maxConcurrent = 400;
const maxPerSecond = 15;

/** The same of beginning to wait, of all components together. */
const maxConcurrentWaits = 1_500;
const maxWaitsPerSecond = 100;
const waitsOfTry = 2;

/**
 * What must never be, however the story goes: judged at every single change of a pod, a job or a CronJob, in the order
 * in which the API server made them. Takes nothing for granted that a controller cannot know yet.
 */
export class Laws {
  readonly #broken = new Set<string>();
  readonly #whoWrote: WhoWrote;
  readonly #pods = new Map<string, Pod>();
  readonly #jobs = new Map<string, Job>();
  /** UIDs of the jobs that their CronJob has named as under way. */
  readonly #recorded = new Set<string>();
  /** UIDs of pods that have been ready. */
  readonly #wasReady = new Set<string>();
  /** The last pod of each ordinal of `db`, by name. */
  readonly #lastOf = new Map<string, string>();
  /** Ordinals of `ring` whose serving pod was replaced, until one serves again. */
  readonly #taken = new Set<string>();
  #web: { readonly fewest: number; readonly most: number } | undefined;
  #shopIsUp = false;
  #isRough = false;

  constructor(whoWrote: WhoWrote) {
    this.#whoWrote = whoWrote;
  }

  /** What was broken since the beginning. */
  get broken(): readonly string[] {
    return [...this.#broken];
  }

  pods(): readonly Pod[] {
    return [...this.#pods.values()];
  }

  jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** `web` and `shop` are up with so many replicas of `web`: from now on they stay within their bounds. */
  up(replicas: number): void {
    this.#web = { fewest: replicas, most: replicas };
    this.#shopIsUp = true;
  }

  /** The bounds of `web` are those of the fewest and of the most replicas asked for since it was last up. */
  scaled(replicas: number): void {
    const { fewest, most } = this.#web ?? { fewest: replicas, most: replicas };
    this.#web = { fewest: Math.min(fewest, replicas), most: Math.max(most, replicas) };
  }

  /** Requests fail from now on: a ReplicaSet may take its time to shrink, while its Deployment lets others grow. */
  rough(): void {
    this.#isRough = true;
  }

  /** Workloads are taken away: bounds end. */
  down(): void {
    this.#web = undefined;
    this.#shopIsUp = false;
  }

  /** No component may loop: `writes` are those of each component within `ms` milliseconds. */
  count(writes: ReadonlyMap<string, number>, ms: number): void {
    for (const [component, count] of writes) {
      if (count > maxConcurrent + (ms * maxPerSecond) / 1_000)
        this.#say(`${component} wrote ${count} times in ${ms} ms`);
    }
  }

  /**
   * Nor without writing: so many times a component began to wait within `ms` milliseconds. Every pod that fits nowhere is tried
   * when something happened that may help it, and then waits twice: until it may be tried again, and until it is in any case.
   */
  countWaits(count: number, ms: number, changes: number): void {
    const homeless = [...this.#pods.values()].filter((pod) => isActive(pod) && !pod.spec.nodeName).length;
    const most = maxConcurrentWaits + (ms * maxWaitsPerSecond) / 1_000 + changes * homeless * waitsOfTry;
    if (count > most) this.#say(`${count} waits began in ${ms} ms`);
  }

  see(change: Change): void {
    if (change.pod) this.#seePod(change, change.pod);
    if (change.job) this.#seeJob(change, change.job);
    for (const { uid } of change.cronJob?.status?.active ?? []) this.#recorded.add(uid ?? '');
  }

  #seePod({ type, before, revision }: Change, pod: Pod): void {
    const { uid = '', name = '' } = pod.metadata;
    if (type === 'deleted') this.#pods.delete(uid);
    else this.#pods.set(uid, pod);
    if (isReady(pod)) this.#wasReady.add(uid);
    const isNew = before === undefined && type !== 'deleted';
    const ended = before && !isTerminating(before as Pod) && (isTerminating(pod) || type === 'deleted');
    const by = ended ? this.#whoWrote.whoEnded(uid) : undefined;

    this.#judgeNodes();
    this.#judgeDaemons();
    this.#judgeBounds();
    this.#judgeSets(pod, name, isNew, by);
    this.#judgeJobPods(pod, isNew, revision);
    this.#judgeQuota();
    if (by === 'kube-scheduler' && (pod.spec.priority ?? 0) >= 1_000_000) this.#say(`${name} was displaced`);
  }

  #judgeNodes(): void {
    const running = this.pods().filter((pod) => !isFinished(pod) && pod.spec.nodeName);
    for (const [node, cpu] of sums(running, (pod) => [pod.spec.nodeName ?? '', amountsOfPod(pod).get('cpu') ?? 0])) {
      if (cpu > 4_000) this.#say(`${cpu} millicpu on ${node}`);
    }
  }

  #judgeDaemons(): void {
    const on = (app: string) => byNode(this.#of(app).filter(isActive));
    for (const [node, { length }] of on('agent')) if (node && length > 1) this.#say(`${length} agents on ${node}`);
    const surging = [...on('probe')].filter(([node, two]) => isReachable(node) && two.length > 1);
    if (surging.some(([, { length }]) => length > 2)) this.#say('three probes on a node');
    const replacing = surging.filter(
      ([, [one, other]]) => one && other && (servedBefore(one, other) || servedBefore(other, one)),
    );
    if (replacing.length > 1) this.#say(`probes surge on ${replacing.map(([node]) => node)}`);
  }

  #judgeBounds(): void {
    if (this.#web) {
      const { fewest, most } = this.#web;
      const web = this.#of('web').filter(isActive);
      if (!this.#isRough && web.length > most + 1) this.#say(`${web.length} of web, for ${most}`);
      const serving = web.filter(isReady).length;
      if (serving < fewest - 1) this.#say(`${serving} of web serve, of ${fewest}`);
    }
    const healthy = this.#of('shop').filter((pod) => isActive(pod) && isReady(pod)).length;
    if (this.#shopIsUp && healthy < 2) this.#say(`${healthy} of shop are healthy, below its budget`);
  }

  #judgeSets(pod: Pod, name: string, isNew: boolean, by: string | undefined): void {
    const { uid = '', labels } = pod.metadata;
    if (labels?.app === 'db') {
      if (isNew) {
        const ordinal = Number(name.split('-').at(-1));
        for (let lower = 0; lower < ordinal; lower++) {
          if (!this.#wasReady.has(this.#lastOf.get(`db-${lower}`) ?? '')) this.#say(`${name} came before db-${lower}`);
        }
        this.#lastOf.set(name, uid);
      }
      const going = this.#of('db').filter(
        (each) => isTerminating(each) && this.#whoWrote.whoEnded(each.metadata.uid ?? '') === controller,
      );
      if (going.length > 1) this.#say(`${going.length} of db go at once`);
    }
    if (labels?.app !== 'ring') return;
    if (isReady(pod) && !isTerminating(pod)) this.#taken.delete(name);
    if (by === controller && hasServedLong(pod)) this.#taken.add(name);
    if (this.#taken.size > 2) this.#say(`${[...this.#taken].join(' ')} were taken away at once`);
  }

  #judgeJobPods(pod: Pod, isNew: boolean, revision: number): void {
    const owner = controllerOf(pod);
    const job = owner?.kind === 'Job' ? this.#jobs.get(owner.uid) : undefined;
    if (!job) return;
    const { name } = job.metadata;
    if (isNew && decision(job)) this.#say(`${name} was decided when a pod was made at ${revision}`);
    const own = this.pods().filter((each) => controllerOf(each)?.uid === owner?.uid && !isFinished(each));
    const waits = job.spec.podReplacementPolicy === 'Failed';
    const counted = waits ? own : own.filter(isActive);
    if (counted.length > job.spec.parallelism) this.#say(`${counted.length} pods of ${name}`);
    if (job.spec.completionMode !== 'Indexed') return;
    const perIndex = sums(counted, (each) => [each.metadata.annotations?.[indexKey] ?? '', 1]);
    for (const [index, count] of perIndex) if (count > 1) this.#say(`${count} pods of index ${index} of ${name}`);
  }

  #seeJob({ type, before }: Change, job: Job): void {
    const { uid = '', name } = job.metadata;
    const owner = controllerOf(job);
    if (!before && owner?.kind === 'CronJob' && owner.name === 'patient') {
      const others = this.jobs().filter((each) => controllerOf(each)?.uid === owner.uid && each.metadata.uid !== uid);
      // A run is known by the status of its CronJob. One that could not be written down before the next was due stands in
      // no run's way: Kubernetes promises runs about once for each time, and that they may come twice.
      const known = others.filter(({ metadata }) => this.#recorded.has(metadata.uid ?? ''));
      const active = known.filter((each) => !isOver(each) && !each.metadata.deletionTimestamp);
      if (active.length > 0) this.#say(`${name} began while ${active[0]?.metadata.name} ran`);
    }
    if (type === 'deleted') {
      this.#jobs.delete(uid);
      this.#recorded.delete(uid);
    } else this.#jobs.set(uid, job);
    const [was, is] = [(before as Job | undefined)?.status, job.status];
    for (const count of ['succeeded', 'failed'] as const) {
      if ((is?.[count] ?? 0) < (was?.[count] ?? 0)) this.#say(`${name} has fewer ${count}: ${is?.[count] ?? 0}`);
    }
    if ((is?.succeeded ?? 0) > (job.spec.completions ?? 1)) this.#say(`${name} succeeded ${is?.succeeded} times`);
  }

  /** What should have gone by now is not counted any more. */
  #judgeQuota(): void {
    const small = this.pods().filter((pod) => pod.metadata.namespace === 'small' && isActive(pod)).length;
    if (small > 3) this.#say(`${small} pods beside a quota of 3`);
  }

  #of(app: string): readonly Pod[] {
    return this.pods().filter((pod) => pod.metadata.labels?.app === app);
  }

  #say(what: string): void {
    this.#broken.add(what);
  }
}

const controller = 'statefulset-controller';
const indexKey = 'batch.kubernetes.io/job-completion-index';

/** Whether the pod served, for so long that no component can have missed it, until its end was asked for. */
function hasServedLong(pod: Pod): boolean {
  const since = Date.parse(podCondition(pod, 'Ready')?.lastTransitionTime ?? '');
  const asked =
    Date.parse(pod.metadata.deletionTimestamp ?? '') - 1_000 * (pod.metadata.deletionGracePeriodSeconds ?? 0);
  return revisionOfPod(pod) !== undefined && isReady(pod) && asked - since > longReadyMs;
}

/** Whether `first` served when `second` was made, for so long that no component can have missed it: else it may be replaced at any time. */
function servedBefore(first: Pod, second: Pod): boolean {
  const since = Date.parse(podCondition(first, 'Ready')?.lastTransitionTime ?? '');
  return isReady(first) && Date.parse(second.metadata.creationTimestamp ?? '') - since > longReadyMs;
}

function byNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = pod.spec.nodeName ?? '';
    found.set(node, [...(found.get(node) ?? []), pod]);
  }
  return found;
}

function isReachable(node: string | undefined): boolean {
  return node === 'n1' || node === 'n2';
}

function sums<T>(items: readonly T[], entry: (item: T) => readonly [string, number]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [key, amount] of items.map(entry)) found.set(key, (found.get(key) ?? 0) + amount);
  return found;
}
