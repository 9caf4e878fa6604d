import { findCondition } from '@slipway/kube';
import type { Feature, FeatureStatus } from '../api/feature.js';
import { fieldOf, type Gate, gates, type ModelCluster, pageSize } from './model-cluster.js';

/** How long after its round was opened a report counts that does not name it. */
const settleMs = 30_000;

/** Watches a cluster and remembers what it saw that must never be (features.md 4.6). */
export class Invariants {
  readonly broken: string[] = [];
  readonly #cluster: ModelCluster;
  readonly #before = new Map<Gate, Feature>();
  readonly #published = new Map<string, Set<boolean>>();
  /** Changes of widgets that were no longer wanted, by server and by what was wanted instead. */
  readonly #stale = new Map<string, number>();

  constructor(cluster: ModelCluster) {
    this.#cluster = cluster;
    cluster.api.onWrite(({ path, method }, sender) => {
      if (path.includes('/features/')) for (const gate of gates) this.#written(gate);
      else if (method === 'PATCH' && path.includes('/widgets/') && sender !== 'admin') this.#cleared(sender);
    });
    cluster.onStep(() => {
      for (const gate of gates) this.#leftAlone(gate);
    });
  }

  #written(gate: Gate): void {
    const feature = this.#cluster.feature(gate);
    const before = this.#before.get(gate);
    if (!feature || feature.metadata.resourceVersion === before?.metadata.resourceVersion) return;
    this.#before.set(gate, feature);
    const [old, now] = [before?.status ?? {}, feature.status ?? {}];
    this.#shape(gate, old, now);
    this.#numbers(gate, old, now);
    this.#agreed(gate, old, now, feature);
    if (old.transition && !now.transition && now.state === 'Off') this.#clean(gate, now);
  }

  /** I1, I2, I3: which state follows which, and when. */
  #shape(gate: Gate, old: FeatureStatus, now: FeatureStatus): void {
    const isUnderWay = now.state === 'TurningOn' || now.state === 'TurningOff';
    if (isUnderWay !== (now.transition !== undefined)) this.#say('I1', `${gate} is ${now.state}, and its transition`);
    if ([old.state, now.state].sort().join() === 'Off,On')
      this.#say('I2', `${gate} went from ${old.state} to ${now.state}`);
    if (!old.transition || now.transition) return;
    if (now.state !== old.transition.to)
      this.#say('I3', `${gate} became ${now.state} on its way to ${old.transition.to}`);
    if (old.transition.tasks.length > 1) this.#say('I3', `${gate} became ${now.state} with tasks left`);
  }

  /** I4, I8, I13: numbers rise, what is done stays done, one transition publishes one value. */
  #numbers(gate: Gate, old: FeatureStatus, now: FeatureStatus): void {
    if ((now.transitions ?? 0) < (old.transitions ?? 0)) this.#say('I4', `${gate} went back to an older transition`);
    const { transition, published } = now;
    if (transition && transition.id !== old.transition?.id && transition.seq <= (old.transitions ?? 0)) {
      this.#say('I4', `${gate} began transition ${transition.seq} anew`);
    }
    if (transition && transition.id === old.transition?.id) {
      const done = (of: FeatureStatus) => of.transition?.completed.map(({ name }) => name) ?? [];
      if (done(now).slice(0, done(old).length).join() !== done(old).join()) {
        this.#say('I13', `${gate} lost what was done: ${done(old)} became ${done(now)}`);
      }
    }
    if (!transition || published?.epoch !== transition.seq) return;
    const values = this.#published.get(transition.id) ?? new Set();
    this.#published.set(transition.id, values.add(published.value));
    if (values.size > 1) this.#say('I8', `${gate} published two values in one transition`);
  }

  /** I11: who is counted as agreeing has said so, in this round. */
  #agreed(gate: Gate, old: FeatureStatus, now: FeatureStatus, { spec }: Feature): void {
    const waited = (of: FeatureStatus) => of.transition?.completed.find(({ kind }) => kind === 'WaitForUses');
    const done = waited(now);
    if (!done || waited(old) || done.result !== 'Done' || !old.transition) return;
    const value = old.transition.to === 'On';
    const { epoch = 0, epochAt } = now.uses ?? {};
    const openMs = Date.parse(epochAt ?? '') - this.#cluster.clock.now() + this.#cluster.clock.monotonicMs();
    const waived = new Set((spec.waivers ?? []).map((waiver) => waiver.node));
    for (const { component, instance, reports } of this.#cluster.processes) {
      const isExpected = component === 'kubelet' && this.#cluster.nodes().includes(instance) && !waived.has(instance);
      const hasSaid = reports.some(
        ({ atMs, epoch: of, values }) => values[gate] === value && (of >= epoch || atMs > openMs + settleMs),
      );
      if (isExpected && !hasSaid) this.#say('I11', `${instance} was counted as ${old.transition.to} for ${gate}`);
    }
  }

  /** I7: off with nothing left behind is proved after the guard was in force, and it is true. */
  #clean(gate: Gate, { guard, dangling }: FeatureStatus): void {
    if (!guard?.policies.length) this.#say('I7', `${gate} is Off without a guard`);
    if (Date.parse(dangling?.scannedAt ?? '') < Date.parse(guard?.activeSince ?? '')) {
      this.#say('I7', `${gate} is Off by a scan from before its guard`);
    }
  }

  /** I7 as users see it: while it is called clean behind a guard, nothing uses it. */
  #leftAlone(gate: Gate): void {
    const { state, guard, conditions } = this.#cluster.feature(gate)?.status ?? {};
    const isClean = findCondition(conditions, 'DanglingReferences')?.reason === 'Clean';
    const users = this.#cluster.users(gate);
    if (state === 'Off' && guard && isClean && users > 0)
      this.#say('I7', `${gate} is clean, and ${users} objects use it`);
  }

  /** I5, I6, I12: what is not the task at hand, or not wanted any more, stops after one page. */
  #cleared(sender: string): void {
    const feature = this.#cluster.feature('Cleared');
    const { transition, transitions } = feature?.status ?? {};
    const isAtWork = transition?.tasks[0]?.kind === 'ClearField' && !feature?.spec.paused;
    if (isAtWork) return;
    const key = `${sender} ${transitions} ${feature?.metadata.generation}`;
    const times = (this.#stale.get(key) ?? 0) + 1;
    this.#stale.set(key, times);
    if (times > pageSize) this.#say('I6', `${sender} changed ${times} objects that it should not have`);
  }

  /** I9, I10: what was wanted last has come true, and nothing goes on. */
  checkAtRest(gate: Gate, wanted: 'On' | 'Off'): void {
    const { state, transition, summary } = this.#cluster.feature(gate)?.status ?? {};
    if (state !== wanted || transition) {
      this.#say('I9', `${gate} is ${state} and not ${wanted}: ${JSON.stringify(transition?.tasks[0] ?? summary)}`);
    }
    if (wanted === 'Off' && this.#cluster.users(gate) > 0) this.#say('I7', `${fieldOf[gate]} is still used`);
  }

  #say(id: string, what: string): void {
    if (this.broken.length < 10) this.broken.push(`${id} at ${this.#cluster.clock.monotonicMs()} ms: ${what}`);
  }
}
