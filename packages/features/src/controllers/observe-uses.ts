import { queriedGates, vectorName } from '@slipway/feature-gates';
import {
  type Clock,
  type Informer,
  type InformerFactory,
  type KubeObject,
  keyOf,
  type Logger,
  sleep,
} from '@slipway/kube';
import type { Target } from '../api/feature.js';
import type { ComponentDefinition, FeatureDefinitionSpec } from '../api/feature-definition.js';
import { FeatureUse } from '../api/feature-use.js';
import { FeatureVector, type GateValue } from '../api/feature-vector.js';
import { oldestVersion } from '../lifecycle/versions.js';
import { type CountedComponent, countUses, type UseCounts } from '../uses/count-uses.js';
import type { ProcessReport, Round } from '../uses/process-report.js';
import { Renewals } from '../uses/renewals.js';
import { type Roster, selfRoster } from '../uses/roster.js';
import { RosterWatch } from './watch-rosters.js';

export interface ObservedUsesOptions {
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A question about one feature. */
export interface UsesQuestion {
  readonly namespace: string;
  readonly gate: string;
  readonly definition: FeatureDefinitionSpec | undefined;
  readonly round: Round;
  readonly towards: Target;
}

/** How often it is looked whether something has not been renewed for too long. */
const sweepMs = 5_000;

/**
 * What every process of the cluster reports, kept up to date from watches, and
 * counted on demand. Says nothing before its caches are filled: a process not yet seen is not a process gone.
 */
export class ObservedUses {
  readonly #uses: Informer<FeatureUse>;
  readonly #vectors: Informer<FeatureVector>;
  readonly #rosters: RosterWatch;
  readonly #renewals = new Renewals();
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #gates = new Map<string, ReadonlyMap<string, GateValue>>();
  readonly #reports = new Map<string, readonly ProcessReport[]>();
  readonly #spellings = new Map<string, ReadonlyMap<string, readonly string[]>>();
  readonly #listeners = new Set<(namespace: string) => void>();

  constructor({ informers, clock, log }: ObservedUsesOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#uses = informers.informer(FeatureUse, { transform: withoutManagedFields });
    this.#vectors = informers.informer(FeatureVector);
    this.#rosters = new RosterWatch(informers, clock);
    this.#rosters.onChange(() => this.#everyNamespace());
    this.#vectors.onChange(({ type, object }) => {
      if (type === 'deleted') this.#gates.delete(keyOf(object));
      else if (object.metadata.name === vectorName(object.spec)) this.#gates.set(keyOf(object), gatesOf(object));
      else this.#log.warn('a vector is not what its name says and is ignored', { vector: keyOf(object) });
      this.#changed(object.metadata.namespace ?? '');
    });
    this.#uses.onChange(({ type, object }) => {
      if (type === 'deleted') this.#renewals.forget(keyOf(object));
      else this.#renewals.observe(keyOf(object), object.spec.renewTime ?? '', clock.monotonicMs());
      this.#changed(object.metadata.namespace ?? '');
    });
  }

  /** Calls back with a namespace whenever something that counts there has changed. */
  onChange(listener: (namespace: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Looks now and then for what has stopped to be renewed: nobody sends an event for that. */
  async watchExpiry(signal: AbortSignal): Promise<void> {
    let before = '';
    while (!signal.aborted) {
      await sleep(this.#clock, sweepMs, signal).catch(() => {});
      const current = this.#uses.lister.list().map((use) => (this.#isCurrent(use) ? '1' : '0'));
      const liveness = `${current.join('')}/${this.#rosters.liveness()}`;
      if (liveness !== before) this.#everyNamespace();
      before = liveness;
    }
  }

  /** Undefined until everything that the answer depends on has been listed. */
  count({ namespace, gate, definition, round, towards }: UsesQuestion): UseCounts | undefined {
    if (!this.#isSynced()) return undefined;
    const reports = this.#reportsOf(namespace);
    const components: CountedComponent[] = [];
    for (const component of definition?.components ?? reportingComponents(reports, gate)) {
      const roster = this.#rosterOf(component, namespace);
      if (!roster) return undefined;
      const { name, required = true, minVersion } = component;
      components.push({ name, required, roster, minVersion });
    }
    return countUses({ gate, stages: definition?.stages, components, reports, round, towards });
  }

  /** Every spelling of a gate that some process of the namespace reports, in lower case the same. */
  spellings(namespace: string, name: string): readonly string[] {
    let known = this.#spellings.get(namespace);
    if (!known) {
      known = spellingsIn(new Set(this.#reportsOf(namespace).map(({ gates }) => gates)));
      this.#spellings.set(namespace, known);
    }
    return known.get(name) ?? [];
  }

  /** What a process says of the gate besides its value: the authority if it reports, else anybody. */
  describe(namespace: string, gate: string, authority: string | undefined): GateValue | undefined {
    const values = this.#reportsOf(namespace).flatMap(({ component, gates }) => {
      const value = gates?.get(gate);
      return value ? [{ component, value }] : [];
    });
    return (values.find(({ component }) => component === authority) ?? values[0])?.value;
  }

  /** The oldest version among the processes of a component, or of all if it does not report. */
  version(namespace: string, component: string | undefined): string | undefined {
    const reports = this.#reportsOf(namespace);
    const own = reports.filter((report) => report.component === component);
    return oldestVersion((own.length > 0 ? own : reports).map((one) => one.emulationVersion ?? one.binaryVersion));
  }

  /** The newest round that any process of the namespace has heard of. */
  newestEpoch(namespace: string): number {
    return Math.max(0, ...this.#reportsOf(namespace).map(({ epoch }) => epoch));
  }

  processes(namespace: string): number {
    return this.#reportsOf(namespace).length;
  }

  #isSynced(): boolean {
    return this.#uses.synced() && this.#vectors.synced();
  }

  #reportsOf(namespace: string): readonly ProcessReport[] {
    const known = this.#reports.get(namespace);
    if (known) return known;
    const reports = this.#uses.lister.list({ namespace }).map((use) => this.#reportOf(use));
    this.#reports.set(namespace, reports);
    return reports;
  }

  #reportOf(use: FeatureUse): ProcessReport {
    const { component, instance, node, binaryVersion, emulationVersion, vector, queried, epoch = 0 } = use.spec;
    const gates = this.#gates.get(`${use.metadata.namespace}/${vector}`);
    let read: ReadonlySet<string> | undefined;
    return {
      name: use.metadata.name ?? '',
      component,
      instance,
      node,
      binaryVersion,
      emulationVersion,
      gates,
      hasRead: (gate) => {
        read ??= new Set(queriedGates([...(gates?.keys() ?? [])], queried));
        return read.has(gate);
      },
      epoch,
      renewedMs: this.#renewals.renewedMs(keyOf(use)),
      current: this.#isCurrent(use),
    };
  }

  #isCurrent(use: FeatureUse): boolean {
    const durationMs = (use.spec.leaseDurationSeconds ?? 900) * 1000;
    return this.#renewals.isLive(keyOf(use), this.#clock.monotonicMs(), durationMs);
  }

  #rosterOf(component: ComponentDefinition, namespace: string): Roster | undefined {
    return component.roster === 'Self' ? selfRoster : this.#rosters.rosterOf(component, namespace);
  }

  #everyNamespace(): void {
    const namespaces = new Set(this.#uses.lister.list().map(({ metadata }) => metadata.namespace ?? ''));
    for (const namespace of namespaces) this.#changed(namespace);
  }

  #changed(namespace: string): void {
    this.#reports.delete(namespace);
    this.#spellings.delete(namespace);
    for (const listener of this.#listeners) listener(namespace);
  }
}

/** Names of gates by their lower case. Vectors are few, however many processes share them. */
function spellingsIn(vectors: ReadonlySet<ProcessReport['gates']>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const gate of new Set([...vectors].flatMap((gates) => [...(gates?.keys() ?? [])]))) {
    const name = gate.toLowerCase();
    found.set(name, [...(found.get(name) ?? []), gate]);
  }
  return found;
}

/** Who reports a gate that nobody declared. */
function reportingComponents(reports: readonly ProcessReport[], gate: string): readonly ComponentDefinition[] {
  const names = reports.filter(({ gates }) => gates?.has(gate)).map(({ component }) => component);
  return [...new Set(names)].sort().map((name) => ({ name, required: true, roster: 'Self' }));
}

function gatesOf({ spec }: FeatureVector): ReadonlyMap<string, GateValue> {
  return new Map(spec.gates.map((gate) => [gate.name, gate]));
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
