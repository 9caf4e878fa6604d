import { isDeepStrictEqual } from 'node:util';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { compileInSlices } from '@slipway/cel/kubernetes/compiled-rules';
import type { Clock } from '@slipway/kube';
import type { Entry, Store } from '@slipway/object-store/store';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import { acceptNames, type OtherNames, withCondition } from './accepted-names.js';
import { approvalCondition } from './community-approval.js';
import { customDefinitions, isServed } from './custom-definition.js';
import { cleanupFinalizer, customResourceDefinitions } from './definition-kind.js';
import { type CustomResourceDefinition, conditionOf, schemaOf } from './definition-object.js';
import { ownStatus } from './definition-owners.js';
import { removeInstances } from './remove-instances.js';

export interface DefinitionControllerOptions {
  readonly store: Store;
  readonly registry: DefinitionRegistry;
  readonly clock: Clock;
  /** A write failed: the store is closing, or its disk is full. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Brings CustomResourceDefinitions to life: accepts their names, serves their
 * kinds, and clears their objects away when they go.
 *
 * What is stored decides; nothing else is remembered, so after a restart it goes
 * on from there. What is stored already is served when this returns; later a kind
 * is served from the moment its definition is durable, or a few turns later when that is
 * large, and the conditions follow with the next write.
 */
export function definitionController(options: DefinitionControllerOptions): {
  close(): void;
  [Symbol.dispose](): void;
} {
  const controller = new DefinitionController(options);
  return { close: () => controller.close(), [Symbol.dispose]: () => controller.close() };
}

const resource = customResourceDefinitions.storedAs;
/** Characters of a definition beyond which each step of establishing it has a turn of its own. */
const maxInTurn = 128 * 1024;

class DefinitionController {
  readonly #store: Store;
  readonly #registry: DefinitionRegistry;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #watch: { close(): void };
  /** What each definition in the registry was made from, by name. */
  readonly #published = new Map<string, Face>();
  /** Watches of the objects of definitions that go, by name of the definition. */
  readonly #clearing = new Map<string, { close(): void }>();
  #closed = false;

  constructor({ store, registry, clock, onError = () => {} }: DefinitionControllerOptions) {
    this.#store = store;
    this.#registry = registry;
    this.#clock = clock;
    this.#onError = onError;
    const { entries, revision } = store.list(resource, {});
    for (const entry of entries) runToCompletion(this.#look(entry));
    this.#watch = store.watch(resource, revision, ({ type, entry }) => {
      if (type === 'DELETED') this.#next(() => this.#forget(entry.name));
      else if (entry.size <= maxInTurn) this.#next(() => runToCompletion(this.#look(entry)));
      else this.#lookInTurns(entry).catch(this.#onError);
    });
  }

  close(): void {
    this.#closed = true;
    this.#watch.close();
    for (const watch of this.#clearing.values()) watch.close();
  }

  /** Runs an action after the store has notified all watchers: from then on it keeps objects that are read. */
  #next(act: () => void): void {
    queueMicrotask(() => {
      if (!this.#closed) act();
    });
  }

  async #lookInTurns(entry: Entry): Promise<void> {
    const looking = this.#look(entry);
    for (let isDone: boolean | undefined = false; !isDone; ) {
      await yieldToEventLoop();
      if (this.#closed) return;
      isDone = looking.next().done;
    }
  }

  *#look(entry: Entry): Resumable<void> {
    if (entry.size > maxInTurn) yield* entry.parsing();
    const isGoing = definitionIn(entry).metadata.deletionTimestamp !== undefined;
    yield;
    if (isGoing) this.#clear(entry.name);
    else yield* this.#settle(entry.name);
  }

  /** Gives a definition the names it can have, and writes that down if it is new. */
  *#settle(name: string): Resumable<void> {
    const basis = this.#store.latest(resource, '', name);
    if (!basis) return;
    if (basis.size > maxInTurn) yield* basis.parsing();
    const definition = definitionIn(basis);
    const others = this.#ofGroup(definition.spec.group).filter((other) => other.name !== name);
    const accepted = acceptNames(definition, others.map(namesIn), this.#now());
    const approval = approvalCondition(definition);
    const conditions = approval ? withCondition(accepted.conditions, approval, this.#now()) : accepted.conditions;
    const settled = { ...definition, status: { ...definition.status, ...accepted, conditions } };
    this.#publish(settled);
    yield;
    // What came meanwhile is looked at by itself.
    if (this.#store.latest(resource, '', name) === basis) this.#put(basis, settled);
  }

  /** Serves a definition as it is now; what it was made from before is compared, since replacing ends watches. */
  #publish(definition: CustomResourceDefinition): void {
    const { metadata, spec } = definition;
    const { name = '' } = metadata;
    const face = isServed(definition) ? faceOf(definition) : undefined;
    if (isSameFace(this.#published.get(name), face)) return;
    if (face) this.#published.set(name, face);
    else this.#published.delete(name);
    this.#registry.replace(spec.group, spec.names.plural ?? '', face ? customDefinitions(definition) : []);
    // So that the first object need not wait for the rules of all its fields.
    if (face) compileInSlices(spec.versions.map(schemaOf))?.catch(this.#onError);
  }

  /** Removes the objects of a definition that goes, and then lets it go. */
  #clear(name: string): void {
    const basis = this.#store.latest(resource, '', name);
    if (!basis) return;
    const definition = definitionIn(basis);
    const { finalizers = [] } = definition.metadata;
    if (!finalizers.includes(cleanupFinalizer)) return;
    this.#publish(definition);
    const storedAs = `${definition.spec.names.plural}.${definition.spec.group}`;
    this.#watchInstances(name, storedAs);
    const left = removeInstances(this.#store, storedAs, this.#now(), this.#onError);

    const remaining = finalizers.filter((finalizer) => left > 0 || finalizer !== cleanupFinalizer);
    if (remaining.length === 0) {
      this.#store.remove(basis).catch(this.#onError);
      return;
    }
    const conditions = withCondition(
      definition.status.conditions ?? [],
      left > 0 ? inProgress : completed,
      this.#now(),
    );
    this.#put(basis, {
      ...definition,
      metadata: { ...definition.metadata, finalizers: remaining },
      status: { ...definition.status, conditions },
    });
  }

  #watchInstances(name: string, storedAs: string): void {
    if (this.#clearing.has(name)) return;
    let isDue = false;
    const watch = this.#store.watch(storedAs, this.#store.revision, ({ type }) => {
      if (type !== 'DELETED' || isDue) return;
      // Many go at once; looking again after each would take forever.
      isDue = true;
      queueMicrotask(() => {
        isDue = false;
        if (!this.#closed) this.#clear(name);
      });
    });
    this.#clearing.set(name, watch);
  }

  /** A definition is gone, so others may have its names. */
  #forget(name: string): void {
    this.#clearing.get(name)?.close();
    this.#clearing.delete(name);
    const { plural, group } = partsOf(name);
    if (this.#published.delete(name)) this.#registry.replace(group, plural, []);
    // Those that have all their names keep them.
    for (const other of this.#ofGroup(group)) if (!namesIn(other).areAccepted) runToCompletion(this.#look(other));
  }

  /** Every definition of a group, in its newest state. */
  #ofGroup(group: string): Entry[] {
    const ofGroup = this.#store.list(resource, {}).entries.filter(({ name }) => partsOf(name).group === group);
    return ofGroup.flatMap(({ name }) => this.#store.latest(resource, '', name) ?? []);
  }

  #put(basis: Entry, definition: CustomResourceDefinition): void {
    if (isDeepStrictEqual(definition, basis.object)) return;
    const owned = ownStatus(definition, definitionIn(basis), this.#now());
    this.#store.put(resource, owned, basis).catch(this.#onError);
  }

  #now(): string {
    return `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
  }
}

function definitionIn(entry: Entry): CustomResourceDefinition {
  return entry.object as CustomResourceDefinition;
}

/** The names that definitions have, by their entries: each definition looks at those of all others of its group. */
const names = new WeakMap<Entry, KnownNames>();

interface KnownNames extends OtherNames {
  readonly areAccepted: boolean;
}

function namesIn(entry: Entry): KnownNames {
  let known = names.get(entry);
  if (!known) {
    const definition = definitionIn(entry);
    const { acceptedNames } = definition.status ?? {};
    const areAccepted = conditionOf(definition, 'NamesAccepted')?.status === 'True';
    known = { areAccepted, ...(acceptedNames && { status: { acceptedNames } }) };
    names.set(entry, known);
  }
  return known;
}

/** What the kinds in the registry are made from. */
type Face = ReturnType<typeof faceOf>;

function faceOf({ metadata: { uid, generation, deletionTimestamp }, spec, status }: CustomResourceDefinition) {
  return { uid, generation, isGoing: deletionTimestamp !== undefined, names: status.acceptedNames, spec };
}

/** Whether two states of a definition make the same kinds. One generation has one specification. */
function isSameFace(a: Face | undefined, b: Face | undefined): boolean {
  if (!a || !b) return a === b;
  if (a.isGoing !== b.isGoing || !isDeepStrictEqual(a.names, b.names)) return false;
  const isSameGeneration = a.generation !== undefined && a.generation === b.generation && a.uid === b.uid;
  return isSameGeneration || isDeepStrictEqual(a.spec, b.spec);
}

/** A definition is called by the plural and the group of its kind. */
function partsOf(name: string): { plural: string; group: string } {
  const dot = name.indexOf('.');
  return { plural: name.slice(0, dot), group: name.slice(dot + 1) };
}

const inProgress = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
} as const;

const completed = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
} as const;
