import { type Clock, type Informer, type InformerFactory, type Logger, sleep } from '@slipway/kube';
import { plays } from '../adapters/single-binary.js';
import type { Waiver } from '../api/feature.js';
import type { ComponentDefinition, FeatureDefinitionSpec } from '../api/feature-definition.js';
import { FeatureUse } from '../api/feature-use.js';
import type { GateValue } from '../api/feature-vector.js';
import type { Target } from '../api/target.js';
import { type VersionRange, versionRange } from '../lifecycle/versions.js';
import { Budget } from '../uses/budget.js';
import { countUses, type UseCounts } from '../uses/count-uses.js';
import { KnownReports, type ReportChange } from '../uses/known-reports.js';
import type { ProcessReport, Round } from '../uses/process-report.js';
import { type RollCall, rollCall } from '../uses/roll-call.js';
import { type Roster, selfRoster } from '../uses/roster.js';
import { slimUses } from '../uses/slim-use.js';
import { RosterWatch } from '../uses/watch-rosters.js';
import type { ReportedVectors } from './reported-vectors.js';

export interface ObservedUsesOptions {
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly vectors: ReportedVectors;
  /** How many reports of a namespace are counted. */
  readonly maxReports: (namespace: string) => number;
}

/** A question about one feature. */
export interface UsesQuestion {
  readonly namespace: string;
  readonly gate: string;
  readonly definition: FeatureDefinitionSpec | undefined;
  /** Of a settled feature the one with the number 0, in which every report counts that is still renewed. */
  readonly round: Round;
  readonly towards: Target;
  readonly waivers: readonly Waiver[];
  /** Whether a value is published that processes may take. */
  readonly isPublished: boolean;
  /** With mode Central: the component whose processes keep to their own flags. */
  readonly authority?: string | undefined;
}

/** What of a namespace may be counted anew: everything, or only rounds that are waited for. */
export type UsesChange = Exclude<ReportChange, 'nothing'>;

/** Maximum components counted of an undeclared gate: reporters choose their names, which go into a status. */
const maxUndeclaredComponents = 12;

/** How often it is looked whether something has not been renewed for too long. */
const sweepMs = 5_000;

/**
 * What every process of the cluster reports, kept up to date from watches, and
 * counted on demand. Says nothing before its caches are filled: a process not yet seen is not a process gone.
 *
 * Who has answered is found once for all gates and kept until something changes, so that a heartbeat costs next to
 * nothing, and a gate no more than there are different vectors.
 */
export class ObservedUses {
  readonly #uses: Informer<FeatureUse>;
  readonly #vectors: ReportedVectors;
  readonly #rosters: RosterWatch;
  readonly #known = new KnownReports();
  readonly #reports: Budget;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #found = new Map<string, FoundInNamespace>();
  readonly #listeners = new Set<(namespace: string, change: UsesChange) => void>();

  constructor({ informers, clock, log, vectors, maxReports }: ObservedUsesOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#reports = new Budget(maxReports);
    this.#vectors = vectors;
    this.#uses = informers.informer(FeatureUse, { transform: slimUses() });
    this.#rosters = new RosterWatch(informers, clock);
    this.#rosters.onChange(() => this.#everyNamespace());
    vectors.onChange(({ namespace = '' }) => this.#changed(namespace, 'values'));
    this.#uses.onChange(({ type, object, previous }) => {
      // The component is part of the content, so a report may leave one and come to another.
      const isAnother = previous && previous.spec.component !== object.spec.component;
      if (type === 'deleted' || isAnother) this.#known.forget(previous ?? object);
      const change = type === 'deleted' ? this.#forgetReport(object) : this.#takeReport(object);
      if (change !== 'nothing') this.#changed(object.metadata.namespace ?? '', change);
    });
  }

  /** Calls back with a namespace whenever something that counts there has changed. */
  onChange(listener: (namespace: string, change: UsesChange) => void): void {
    this.#listeners.add(listener);
  }

  /** Checks periodically for reports that are no longer renewed: that causes no event. */
  async watchExpiry(signal: AbortSignal): Promise<void> {
    let before = '';
    while (!signal.aborted) {
      await sleep(this.#clock, sweepMs, signal).catch(() => {});
      for (const namespace of this.#known.expire(this.#clock.monotonicMs())) this.#changed(namespace, 'values');
      const liveness = this.#rosters.liveness();
      if (liveness !== before) this.#everyNamespace();
      before = liveness;
    }
  }

  /** How many reports are not counted, of each namespace that has too many. */
  overLimit(): ReadonlyMap<string, number> {
    return this.#reports.exceeding();
  }

  #takeReport(use: FeatureUse): ReportChange {
    const { namespace = '', name = '' } = use.metadata;
    const wasExceeded = this.#reports.excess(namespace).size > 0;
    if (this.#reports.take(namespace, name)) return this.#known.observe(use, this.#clock.monotonicMs());
    if (!wasExceeded) this.#log.warn('a namespace has more FeatureUses than are counted', { namespace });
    return 'values';
  }

  #forgetReport({ metadata: { namespace = '', name = '' } }: FeatureUse): ReportChange {
    for (const next of this.#reports.release(namespace, name)) {
      const use = this.#uses.lister.get({ namespace, name: next });
      if (use) this.#takeReport(use);
    }
    return 'values';
  }

  /** Names of reports of a component that are too many to be counted. */
  #uncounted(namespace: string, component: string): readonly string[] {
    return [...this.#reports.excess(namespace)].filter((name) => {
      const use = this.#uses.lister.get({ namespace, name });
      return use !== undefined && plays(use.spec.component, component);
    });
  }

  /** Undefined until everything that the answer depends on has been listed. */
  count(question: UsesQuestion): UseCounts | undefined {
    const { gate, definition, towards, waivers, isPublished, authority } = question;
    const rollCalls = this.rollCalls(question);
    const { stages } = definition ?? {};
    return rollCalls && countUses({ gate, stages, rollCalls, towards, waivers, isPublished, authority });
  }

  /** Who of each component has answered in a round; undefined as `count` is. */
  rollCalls({ namespace, gate, definition, round }: UsesQuestion): readonly RollCall[] | undefined {
    if (!this.#uses.synced() || !this.#vectors.synced()) return undefined;
    const rollCalls: RollCall[] = [];
    for (const component of definition?.components ?? this.#reporting(namespace, gate)) {
      const roll = this.#rollCall(component, namespace, round);
      if (!roll) return undefined;
      rollCalls.push(roll);
    }
    return rollCalls;
  }

  /** Every spelling of a gate that some process of the namespace reports, in lower case the same. */
  spellings(namespace: string, name: string): readonly string[] {
    const found = this.#foundIn(namespace);
    found.spellings ??= this.#spellings(namespace);
    return found.spellings.get(name) ?? [];
  }

  /** What a process says of the gate besides its value: the authority if it reports, else any process. */
  describe(namespace: string, gate: string, authority: string | undefined): GateValue | undefined {
    const asked = [...this.#reportersOf(namespace, authority), ...this.#known.components(namespace)];
    return this.#find(namespace, asked, (gates) => gates.get(gate));
  }

  /** The flag that the gate comes with in some component, so that no published value may change it. */
  configOf(namespace: string, gate: string): { readonly component: string; readonly flag: string } | undefined {
    return this.#find(namespace, this.#known.components(namespace), (gates, component) => {
      const flag = gates.get(gate)?.config;
      return flag === undefined ? undefined : { component, flag };
    });
  }

  /** The oldest version among the processes of a component, or of all if it does not report. */
  version(namespace: string, component: string | undefined): string | undefined {
    return this.versions(namespace, component)?.oldest;
  }

  /** The oldest and the newest of them. */
  versions(namespace: string, component: string | undefined): VersionRange | undefined {
    const own = this.#reportersOf(namespace, component);
    const asked = own.length > 0 ? own : this.#known.components(namespace);
    return versionRange(asked.flatMap((name) => this.#known.versions(namespace, name)));
  }

  /** The newest round that any process of the namespace has heard of. */
  newestEpoch(namespace: string): number {
    return this.#known.newestEpoch(namespace);
  }

  processes(namespace: string): number {
    return this.#known.processes(namespace);
  }

  #rollCall(component: ComponentDefinition, namespace: string, round: Round): RollCall | undefined {
    const { name, required = true, minVersion } = component;
    const found = this.#foundIn(namespace);
    const { epoch, openedMs, settleMs } = round;
    const calls = epoch === 0 ? found.settled : found.rounds;
    const { roster: kind, selector = '', lease = '', namespace: where = '' } = component;
    const key = [name, required, minVersion, kind, selector, lease, where, epoch && [epoch, openedMs, settleMs]].join(
      ' ',
    );
    const known = calls.get(key);
    if (known) return known;
    const roster = this.#rosterOf(component, namespace);
    if (!roster) return undefined;
    const roll = rollCall({
      component: name,
      required,
      minVersion,
      roster,
      reports: this.#reportsOf(namespace, name),
      uncounted: this.#uncounted(namespace, name),
      gatesOf: (vector) => this.#vectors.gatesOf(namespace, vector),
      round,
      nowMs: this.#clock.monotonicMs(),
    });
    calls.set(key, roll);
    return roll;
  }

  #rosterOf(component: ComponentDefinition, namespace: string): Roster | undefined {
    return component.roster === 'Self' ? selfRoster : this.#rosters.rosterOf(component, namespace);
  }

  /** Under which names processes of a component report: its own, and that of a program that has it in it. */
  #reportersOf(namespace: string, component: string | undefined): readonly string[] {
    if (component === undefined) return [];
    return this.#known.components(namespace).filter((process) => plays(process, component));
  }

  *#reportsOf(namespace: string, component: string): Iterable<ProcessReport> {
    for (const process of this.#reportersOf(namespace, component)) yield* this.#known.of(namespace, process);
  }

  /** Who reports an undeclared gate. */
  #reporting(namespace: string, gate: string): readonly ComponentDefinition[] {
    const reports = (name: string) => [...this.#gatesOfAll(namespace, name)].some((gates) => gates.has(gate));
    const names = this.#known.components(namespace).filter(reports);
    return names
      .sort()
      .slice(0, maxUndeclaredComponents)
      .map((name) => ({ name, required: true, roster: 'Self' }));
  }

  /** Names of gates by their lower case. */
  #spellings(namespace: string): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, Set<string>>();
    for (const component of this.#known.components(namespace)) {
      for (const gates of this.#gatesOfAll(namespace, component)) {
        for (const gate of gates.keys()) {
          const name = gate.toLowerCase();
          found.set(name, (found.get(name) ?? new Set()).add(gate));
        }
      }
    }
    return new Map([...found].map(([name, gates]) => [name, [...gates]]));
  }

  /** The first answer that the values of some component give. */
  #find<T>(
    namespace: string,
    components: readonly string[],
    ask: (gates: ReadonlyMap<string, GateValue>, component: string) => T | undefined,
  ): T | undefined {
    for (const component of components) {
      for (const gates of this.#gatesOfAll(namespace, component)) {
        const answer = ask(gates, component);
        if (answer !== undefined) return answer;
      }
    }
    return undefined;
  }

  /** The different vectors of a component's processes. */
  *#gatesOfAll(namespace: string, component: string): Iterable<ReadonlyMap<string, GateValue>> {
    for (const vector of this.#known.vectors(namespace, component)) {
      const gates = this.#vectors.gatesOf(namespace, vector);
      if (gates) yield gates;
    }
  }

  #foundIn(namespace: string): FoundInNamespace {
    let found = this.#found.get(namespace);
    if (!found) {
      found = { settled: new Map(), rounds: new Map() };
      this.#found.set(namespace, found);
    }
    return found;
  }

  /** Rosters name processes in namespaces without any report, whose roll calls are kept, too. */
  #everyNamespace(): void {
    const namespaces = new Set([...this.#known.namespaces(), ...this.#found.keys()]);
    for (const namespace of namespaces) this.#changed(namespace, 'values');
  }

  #changed(namespace: string, change: UsesChange): void {
    if (change === 'values') this.#found.delete(namespace);
    else this.#found.get(namespace)?.rounds.clear();
    for (const listener of this.#listeners) listener(namespace, change);
  }
}

/** What was found out about a namespace, until something changes there. */
interface FoundInNamespace {
  /** Roll calls outside of any round. */
  readonly settled: Map<string, RollCall>;
  readonly rounds: Map<string, RollCall>;
  spellings?: ReadonlyMap<string, readonly string[]>;
}
