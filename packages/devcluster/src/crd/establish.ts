import { isDeepStrictEqual } from 'node:util';
import type { Clock, KubeObject } from '@slipway/kube';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { Entry, Store } from '../storage/store.js';
import { acceptNames, withCondition } from './accepted-names.js';
import { customDefinitions, isServed } from './custom-definition.js';
import { cleanupFinalizer, customResourceDefinitions } from './definition-kind.js';
import type { CustomResourceDefinition } from './definition-object.js';

const resource = customResourceDefinitions.storedAs;

/**
 * Brings CustomResourceDefinitions to life: accepts their names, serves their
 * kinds, and clears their objects away when they go.
 *
 * What is stored decides; nothing else is remembered, so after a restart it goes
 * on from there. A kind is served from the moment its definition is stored, and
 * the conditions follow with the next write.
 */
export function definitionController(deps: {
  readonly store: Store;
  readonly registry: DefinitionRegistry;
  readonly clock: Clock;
  /** A write failed: the store is closing, or its disk is full. */
  readonly onError?: (error: unknown) => void;
}): { close(): void; [Symbol.dispose](): void } {
  const { store, registry, clock, onError = () => {} } = deps;
  const now = () => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const published = new Map<string, unknown>();
  const clearing = new Map<string, { close(): void }>();
  let closed = false;

  const latest = (): CustomResourceDefinition[] =>
    store
      .list(resource, {})
      .entries.map((entry) => store.latest(resource, '', entry.name)?.object)
      .filter((object) => object !== undefined) as CustomResourceDefinition[];

  const put = (basis: Entry, object: KubeObject) => {
    store.put(resource, object, basis).catch(onError);
  };

  const publish = (definition: CustomResourceDefinition) => {
    const { name = '', deletionTimestamp } = definition.metadata;
    const { spec, status } = definition;
    const face = isServed(definition) ? { spec, names: status.acceptedNames, going: !!deletionTimestamp } : undefined;
    if (isDeepStrictEqual(published.get(name), face)) return;
    if (face) published.set(name, face);
    else published.delete(name);
    registry.replace(spec.group, spec.names.plural ?? '', face ? customDefinitions(definition) : []);
  };

  /** The definition with the names it can have, written if that changes it. */
  const settle = (name: string) => {
    const basis = store.latest(resource, '', name);
    if (!basis) return;
    const definition = basis.object as CustomResourceDefinition;
    const others = latest().filter(
      (other) => other.metadata.name !== name && other.spec.group === definition.spec.group,
    );
    const accepted = acceptNames(definition, others, now());
    const settled = { ...definition, status: { ...definition.status, ...accepted } };
    publish(settled);
    if (!isDeepStrictEqual(settled.status, definition.status)) put(basis, settled);
  };

  const clear = (name: string) => {
    const basis = store.latest(resource, '', name);
    const definition = basis?.object as CustomResourceDefinition | undefined;
    if (!basis || !definition?.metadata.finalizers?.includes(cleanupFinalizer)) return;
    publish(definition);
    const storedAs = `${definition.spec.names.plural}.${definition.spec.group}`;
    if (!clearing.has(name)) {
      const { revision } = store;
      clearing.set(
        name,
        store.watch(storedAs, revision, (event) => {
          if (event.type === 'DELETED') queueMicrotask(() => !closed && clear(name));
        }),
      );
    }
    const left = removeInstances(store, storedAs, now(), onError);
    const progress = left === 0 ? completed : inProgress;
    const conditions = withCondition(definition.status.conditions ?? [], progress, now());
    const finalizers = definition.metadata.finalizers.filter((one) => left > 0 || one !== cleanupFinalizer);
    const cleared: CustomResourceDefinition = {
      ...definition,
      metadata: { ...definition.metadata, finalizers },
      status: { ...definition.status, conditions },
    };
    if (finalizers.length === 0) store.remove(basis).catch(onError);
    else if (!isDeepStrictEqual(cleared, definition)) put(basis, cleared);
  };

  const forget = (definition: CustomResourceDefinition) => {
    const { name = '' } = definition.metadata;
    clearing.get(name)?.close();
    clearing.delete(name);
    if (published.delete(name)) registry.replace(definition.spec.group, definition.spec.names.plural ?? '', []);
    for (const other of latest()) if (other.spec.group === definition.spec.group) settle(other.metadata.name ?? '');
  };

  const look = (definition: CustomResourceDefinition) => {
    const { name = '', deletionTimestamp } = definition.metadata;
    if (deletionTimestamp) clear(name);
    else settle(name);
  };

  const { entries, revision } = store.list(resource, {});
  for (const entry of entries) look(entry.object as CustomResourceDefinition);
  const watch = store.watch(resource, revision, ({ type, entry }) => {
    if (closed) return;
    const definition = entry.object as CustomResourceDefinition;
    if (type === 'DELETED') forget(definition);
    else look(definition);
  });
  const close = () => {
    closed = true;
    watch.close();
    for (const each of clearing.values()) each.close();
  };
  return { close, [Symbol.dispose]: close };
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

/** Deletes every object of a kind, or marks those that a finalizer holds. @returns how many are still there */
function removeInstances(store: Store, storedAs: string, now: string, onError: (error: unknown) => void): number {
  let left = 0;
  for (const { namespace, name } of store.list(storedAs, {}).entries) {
    const basis = store.latest(storedAs, namespace, name);
    if (!basis) continue;
    left++;
    const { metadata } = basis.object;
    if ((metadata.finalizers?.length ?? 0) === 0) store.remove(basis).catch(onError);
    else if (!metadata.deletionTimestamp) {
      const going = {
        deletionTimestamp: now,
        deletionGracePeriodSeconds: 0,
        generation: (metadata.generation ?? 0) + 1,
      };
      store.put(storedAs, { ...basis.object, metadata: { ...metadata, ...going } }, basis).catch(onError);
    }
  }
  return left;
}
