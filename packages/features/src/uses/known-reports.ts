import type { FeatureUse } from '../api/feature-use.js';
import { isCurrent, type ProcessReport, type Statement } from './process-report.js';

/**
 * What a new report changes: the values that are counted, only that they were
 * confirmed, or nothing.
 */
export type ReportChange = 'values' | 'confirmation' | 'nothing';

const defaultLeaseSeconds = 900;

/**
 * The last report of every process, by namespace and component. A heartbeat is one
 * look-up and one small object, however many processes there are.
 */
export class KnownReports {
  readonly #namespaces = new Map<string, Map<string, ComponentReports>>();
  /** Names of reports that have expired, by namespace. */
  readonly #expired = new Map<string, Set<string>>();

  /** Takes in a report as it is stored now; `nowMs` is this server's monotonic clock. */
  observe(use: FeatureUse, nowMs: number): ReportChange {
    const { namespace = '', name = '' } = use.metadata;
    const { component, instance, node, epoch = 0, renewTime } = use.spec;
    const own = this.#component(namespace, component);
    const before = own.get(name);
    const isRenewed = before !== undefined && before.renewTime !== renewTime;
    const report: KnownReport = {
      name,
      component,
      instance,
      node,
      says: own.shared(statementOf(use.spec)),
      epoch,
      firstSeenMs: before?.firstSeenMs ?? nowMs,
      renewedMs: isRenewed ? nowMs : before?.renewedMs,
      leaseMs: (use.spec.leaseDurationSeconds ?? defaultLeaseSeconds) * 1000,
      renewTime,
    };
    own.set(report);
    const hadExpired = isCurrent(report, nowMs) && (this.#expired.get(namespace)?.delete(name) ?? false);
    const isSame = before?.says === report.says && before.instance === instance && before.node === node;
    if (!before || hadExpired || !isSame) return 'values';
    return report.epoch > before.epoch || report.renewedMs !== before.renewedMs ? 'confirmation' : 'nothing';
  }

  forget({ metadata: { namespace = '', name = '' }, spec }: FeatureUse): void {
    this.#expired.get(namespace)?.delete(name);
    const components = this.#namespaces.get(namespace);
    const own = components?.get(spec.component);
    own?.delete(name);
    // Names come from whoever reports: none is kept longer than its reports.
    if (own?.size === 0) components?.delete(spec.component);
    if (components?.size === 0) {
      this.#namespaces.delete(namespace);
      this.#expired.delete(namespace);
    }
  }

  /** Namespaces in which a report has expired since the last look. */
  expire(nowMs: number): readonly string[] {
    const concerned = [...this.#namespaces].filter(([namespace, components]) => {
      const expired = this.#expired.get(namespace) ?? new Set();
      this.#expired.set(namespace, expired);
      const before = expired.size;
      for (const own of components.values()) {
        for (const report of own.all()) if (!isCurrent(report, nowMs)) expired.add(report.name);
      }
      return expired.size > before;
    });
    return concerned.map(([namespace]) => namespace);
  }

  namespaces(): readonly string[] {
    return [...this.#namespaces.keys()];
  }

  components(namespace: string): readonly string[] {
    const components = this.#namespaces.get(namespace) ?? new Map<string, ComponentReports>();
    return [...components].filter(([, own]) => own.size > 0).map(([name]) => name);
  }

  of(namespace: string, component: string): Iterable<ProcessReport> {
    return this.#namespaces.get(namespace)?.get(component)?.all() ?? [];
  }

  /** Names of the vectors that processes of a component have now. Thousands of processes share a few. */
  vectors(namespace: string, component: string): Iterable<string> {
    return this.#namespaces.get(namespace)?.get(component)?.vectors() ?? [];
  }

  /** The different versions that processes of a component have, or emulate. */
  versions(namespace: string, component: string): readonly string[] {
    return this.#namespaces.get(namespace)?.get(component)?.versions() ?? [];
  }

  processes(namespace: string): number {
    return [...(this.#namespaces.get(namespace)?.values() ?? [])].reduce((total, own) => total + own.size, 0);
  }

  /** The newest round that any process of the namespace has heard of. */
  newestEpoch(namespace: string): number {
    let newest = 0;
    for (const component of this.components(namespace)) {
      for (const { epoch } of this.of(namespace, component)) newest = Math.max(newest, epoch);
    }
    return newest;
  }

  #component(namespace: string, component: string): ComponentReports {
    const components = this.#namespaces.get(namespace) ?? new Map<string, ComponentReports>();
    this.#namespaces.set(namespace, components);
    const own = components.get(component) ?? new ComponentReports();
    components.set(component, own);
    return own;
  }
}

interface KnownReport extends ProcessReport {
  readonly renewTime: string | undefined;
}

/** Reports of one component, and what they say, each with how many say so. */
class ComponentReports {
  readonly #reports = new Map<string, KnownReport>();
  readonly #statements = new Map<string, { readonly says: Statement; processes: number }>();

  get size(): number {
    return this.#reports.size;
  }

  get(name: string): KnownReport | undefined {
    return this.#reports.get(name);
  }

  /** The one that processes who say the same share. */
  shared(statement: Statement): Statement {
    return this.#statements.get(keyOf(statement))?.says ?? statement;
  }

  set(report: KnownReport): void {
    const key = keyOf(report.says);
    const known = this.#statements.get(key);
    if (known) known.processes++;
    else this.#statements.set(key, { says: report.says, processes: 1 });
    const before = this.#reports.get(report.name);
    // In its place, so that the order stays what it was.
    this.#reports.set(report.name, report);
    if (before) this.#drop(before);
  }

  delete(name: string): void {
    const before = this.#reports.get(name);
    this.#reports.delete(name);
    if (before) this.#drop(before);
  }

  all(): Iterable<KnownReport> {
    return this.#reports.values();
  }

  vectors(): Iterable<string> {
    return new Set([...this.#statements.values()].map(({ says }) => says.vector));
  }

  versions(): readonly string[] {
    const all = [...this.#statements.values()].map(({ says }) => says.emulationVersion ?? says.binaryVersion);
    return [...new Set(all)];
  }

  #drop({ says }: KnownReport): void {
    const known = this.#statements.get(keyOf(says));
    if (known && --known.processes === 0) this.#statements.delete(keyOf(says));
  }
}

function keyOf({ binaryVersion, emulationVersion = '', vector, queried = '', reportsItself }: Statement): string {
  return `${vector} ${queried} ${binaryVersion} ${emulationVersion} ${reportsItself}`;
}

function statementOf({ binaryVersion, emulationVersion, vector, queried, source }: FeatureUse['spec']): Statement {
  return { binaryVersion, emulationVersion, vector, queried, reportsItself: source === 'Library' };
}
