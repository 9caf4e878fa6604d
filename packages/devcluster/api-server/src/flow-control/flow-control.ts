import type { Access } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { Clock } from '@slipway/kube';
import type { FlowSchemaSpec, PriorityLevelSpec } from '@slipway/kube-objects/kinds/flow-objects';
import type { Store, StoreEvent } from '@slipway/object-store/store';
import { mandatoryLevels, mandatorySchemas } from './declared-flows.js';
import { FlowCounts } from './flow-counts.js';
import { matchesFlow } from './matches-flow.js';
import { type LevelLimits, PriorityLevel, type Refusal } from './priority-level.js';
import { shareSeats } from './share-seats.js';

/** Storage keys of the two kinds. */
const flowSchemasResource = 'flowschemas.flowcontrol.apiserver.k8s.io';
const priorityLevelsResource = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';

/** Which flow a request belongs to. */
export interface Flow {
  readonly schema: string;
  readonly level: PriorityLevel;
  /** Say to the client which FlowSchema and which level it was, by their UIDs. */
  readonly headers: Readonly<Record<string, string>>;
  readonly counts: FlowCounts;
  readonly spec: FlowSchemaSpec;
}

interface Stored<Spec> {
  readonly uid: string;
  readonly spec: Spec;
}

/** How often levels that need more seats borrow from those that need less. */
const borrowEveryMs = 10_000;
/** How slowly a level gives up what it needed before. */
const smoothing = 0.977;

/**
 * API Priority and Fairness: says which flow a request belongs to, and lets each priority level run as many
 * at once as its FlowSchemas and PriorityLevelConfigurations give it. Follows the store.
 */
export class FlowControl {
  readonly #clock: Clock;
  /** Requests that may run at once, over all levels. */
  readonly #seats: number;
  readonly #schemas = new Map<string, Stored<FlowSchemaSpec>>();
  readonly #configurations = new Map<string, Stored<PriorityLevelSpec>>();
  readonly #levels = new Map<string, PriorityLevel>();
  readonly #wanted = new Map<PriorityLevel, number>();
  readonly #counts = new Map<string, FlowCounts>();
  readonly #watches: readonly { close(): void }[];
  /** In the order in which they are tried. */
  #flows: readonly Flow[] | undefined;
  #sharedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly store: Store; readonly clock: Clock; readonly seats: number }) {
    const { store, clock, seats } = options;
    this.#clock = clock;
    this.#seats = seats;
    const follow = <Spec>(resource: string, into: Map<string, Stored<Spec>>) => {
      const onEvent = ({ type, entry }: StoreEvent) => {
        const { metadata, spec } = entry.object;
        const there = into.get(entry.name);
        if (type !== 'DELETED' && there && there.uid === metadata.uid && equalJson(there.spec, spec)) return;
        if (type === 'DELETED') into.delete(entry.name);
        else into.set(entry.name, { uid: metadata.uid ?? '', spec });
        this.#flows = undefined;
      };
      const { entries, revision } = store.list(resource, {});
      for (const entry of entries) onEvent({ type: 'ADDED', entry });
      return store.watch(resource, revision, onEvent);
    };
    this.#watches = [follow(flowSchemasResource, this.#schemas), follow(priorityLevelsResource, this.#configurations)];
  }

  /** The flow of what a user wants to do. Who is in none of the groups that everybody is in belongs to `catch-all`, too. */
  flowOf(user: User, access: Access): Flow {
    this.#flows ??= this.#digest();
    const isMeant = ({ spec, schema }: Flow) => matchesFlow(spec.rules ?? [], user, access) || schema === 'catch-all';
    const flow = this.#flows.find(isMeant);
    if (!flow) throw new Error('there is no FlowSchema catch-all');
    return flow;
  }

  /**
   * Lets a request in: at once (undefined), later, or not. Who is let in must `end`.
   *
   * @param clock the time that the sender lives by
   */
  begin(flow: Flow, user: User, access: Access, clock: Clock, nowMs: number) {
    if (nowMs - this.#sharedAtMs >= borrowEveryMs) this.#share(nowMs);
    const entered = flow.level.enter(() => keyOf(flow, user, access), clock, nowMs);
    if (entered instanceof Promise) return this.#later(flow, entered, nowMs);
    flow.counts.settled(entered);
    return entered;
  }

  /** A request that was let in has its answer. */
  end(flow: Flow, startedMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    flow.counts.ended((nowMs - startedMs) / 1000);
    flow.level.leave(nowMs);
  }

  /** The metrics, in the Prometheus text format. */
  page(): string {
    this.#flows ??= this.#digest();
    return FlowCounts.page(this.#counts.values(), this.#levels.values());
  }

  /** Follows the store no longer. */
  close(): void {
    for (const watch of this.#watches) watch.close();
  }

  async #later(flow: Flow, entering: Promise<Refusal | undefined>, sinceMs: number): Promise<Refusal | undefined> {
    flow.counts.queued();
    const entered = await entering;
    flow.counts.dequeued((this.#clock.monotonicMs() - sinceMs) / 1000, entered);
    flow.counts.settled(entered);
    return entered;
  }

  #digest(): readonly Flow[] {
    const nowMs = this.#clock.monotonicMs();
    const configurations = withMandatory(this.#configurations, mandatoryLevels);
    for (const name of this.#levels.keys()) if (!configurations.has(name)) this.#levels.delete(name);
    for (const [name, { spec }] of configurations) {
      const there = this.#levels.get(name);
      if (there) there.configure(spec);
      else this.#levels.set(name, new PriorityLevel(name, spec, nowMs));
    }
    for (const level of this.#wanted.keys()) if (this.#levels.get(level.name) !== level) this.#wanted.delete(level);
    this.#share(nowMs);
    return [...withMandatory(this.#schemas, mandatorySchemas)]
      .sort(([aName, a], [bName, b]) => byPrecedence(a.spec, b.spec) || (aName < bName ? -1 : 1))
      .flatMap(([name, schema]) => this.#flow(name, schema, configurations) ?? []);
  }

  /** Undefined for a FlowSchema whose level there is not: it counts for nothing. */
  #flow(
    name: string,
    { uid, spec }: Stored<FlowSchemaSpec>,
    configurations: ReadonlyMap<string, Stored<PriorityLevelSpec>>,
  ): Flow | undefined {
    const level = this.#levels.get(spec.priorityLevelConfiguration.name);
    if (!level) return undefined;
    const key = `${level.name}/${name}`;
    const counts = this.#counts.get(key) ?? new FlowCounts(level.name, name);
    this.#counts.set(key, counts);
    const headers = {
      'x-kubernetes-pf-flowschema-uid': uid,
      'x-kubernetes-pf-prioritylevel-uid': configurations.get(level.name)?.uid ?? '',
    };
    return { schema: name, level, headers, counts, spec };
  }

  /** Gives each level its seats, by its shares and by what it needed of late. */
  #share(nowMs: number): void {
    this.#sharedAtMs = nowMs;
    const levels = [...this.#levels.values()];
    const shareSum = levels.reduce((sum, { shares }) => sum + (shares.nominalConcurrencyShares ?? 0), 0);
    const bounds = levels.map((level) => boundsOf(level, this.#seats, shareSum));
    const wishes = levels.map((level, index) => {
      const { nominal = 0, lower = 0, upper = 0 } = bounds[index] ?? {};
      const { highest, average, deviation } = level.demand.take(nowMs);
      const envelope = average + deviation;
      const smoothed = Math.max(envelope, smoothing * (this.#wanted.get(level) ?? 0) + (1 - smoothing) * envelope);
      this.#wanted.set(level, smoothed);
      const least = Math.max(lower, Math.min(nominal, highest));
      return { lower: least, upper, target: Math.max(least, smoothed) };
    });
    const total = bounds.reduce((sum, { nominal }) => sum + nominal, 0);
    const limited = levels.map(({ isExempt }) => !isExempt);
    const shared = shareSeats(
      total,
      wishes.filter((_, index) => limited[index]),
    );
    let next = 0;
    for (const [index, level] of levels.entries()) {
      const { nominal = 0, lower = 0, upper = 0 } = bounds[index] ?? {};
      level.limit({ nominal, lower, upper, current: limited[index] ? (shared[next++] ?? 0) : 0 });
    }
  }
}

function boundsOf(level: PriorityLevel, seats: number, shareSum: number): Omit<LevelLimits, 'current'> {
  const { nominalConcurrencyShares = 0, lendablePercent = 0 } = level.shares;
  const nominal = shareSum === 0 ? 0 : Math.ceil((seats * nominalConcurrencyShares) / shareSum);
  const { borrowingLimitPercent } = level;
  const lent = Math.round((nominal * lendablePercent) / 100);
  const borrowed = borrowingLimitPercent === undefined ? seats : Math.round((nominal * borrowingLimitPercent) / 100);
  return { nominal, lower: nominal - lent, upper: nominal + borrowed };
}

/** What is stored, and what would have to be there otherwise. */
function withMandatory<Spec>(
  stored: ReadonlyMap<string, Stored<Spec>>,
  mandatory: ReadonlyMap<string, Spec>,
): ReadonlyMap<string, Stored<Spec>> {
  const imagined = [...mandatory].map(([name, spec]) => [name, { uid: '', spec }] as const);
  return new Map([...imagined, ...stored]);
}

function byPrecedence(a: FlowSchemaSpec, b: FlowSchemaSpec): number {
  return a.matchingPrecedence - b.matchingPrecedence;
}

/** What tells the flows of a FlowSchema apart. */
function keyOf({ schema, spec }: Flow, { name }: User, access: Access): string {
  const namespace = access.kind === 'resource' ? access.namespace : '';
  const distinguisher = { ByUser: name, ByNamespace: namespace, '': '' }[spec.distinguisherMethod?.type ?? ''];
  return `${schema},${distinguisher}`;
}
