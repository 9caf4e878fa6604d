import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { Store, StoreEvent } from '@slipway/object-store/store';
import { type Binding, Bindings, bindingOf, type RoleRef } from './bindings.js';

/** What one binding gives: the rules of its role, undefined when there is no such role. */
export interface Grant {
  readonly binding: Binding;
  readonly rules: readonly PolicyRule[] | undefined;
}

const group = 'rbac.authorization.k8s.io';

/**
 * The roles and bindings of a store, ready to decide by. It follows the store:
 * when a write of a role is answered, it counts.
 */
export class RolePolicy {
  readonly #clusterRoles = new Map<string, readonly PolicyRule[]>();
  /** By `namespace/name`. */
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #clusterBindings = new Bindings();
  readonly #bindings = new Map<string, Bindings>();
  readonly #watches: { close(): void }[];

  constructor(store: Store) {
    const follow = (plural: string, onEvent: (event: StoreEvent) => void) => {
      const resource = `${plural}.${group}`;
      const { entries, revision } = store.list(resource, {});
      for (const entry of entries) onEvent({ type: 'ADDED', entry });
      return store.watch(resource, revision, onEvent);
    };
    this.#watches = [
      follow('clusterroles', (event) => setRules(this.#clusterRoles, event.entry.name, event)),
      follow('roles', (event) => setRules(this.#roles, `${event.entry.namespace}/${event.entry.name}`, event)),
      follow('clusterrolebindings', (event) => rebind(this.#clusterBindings, event)),
      follow('rolebindings', (event) => this.#rebindIn(event.entry.namespace, event)),
    ];
  }

  /** Everything given to a user for a namespace, '' = for the cluster scope: first what holds everywhere. */
  *grantsOf(user: User, namespace: string): Iterable<Grant> {
    for (const binding of this.#clusterBindings.of(user)) yield { binding, rules: this.rulesOf(binding.roleRef, '') };
    if (namespace === '') return;
    const local = this.#bindings.get(namespace);
    if (!local) return;
    for (const binding of local.of(user)) yield { binding, rules: this.rulesOf(binding.roleRef, namespace) };
  }

  /** The rules of a role; `namespace` is where a Role is looked for. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return kind === 'ClusterRole' ? this.#clusterRoles.get(name) : this.#roles.get(`${namespace}/${name}`);
  }

  /** Follows the store no longer. */
  close(): void {
    for (const watch of this.#watches) watch.close();
  }

  #rebindIn(namespace: string, event: StoreEvent): void {
    const there = this.#bindings.get(namespace) ?? new Bindings();
    rebind(there, event);
    if (there.isEmpty) this.#bindings.delete(namespace);
    else this.#bindings.set(namespace, there);
  }
}

function setRules(roles: Map<string, readonly PolicyRule[]>, key: string, { type, entry }: StoreEvent): void {
  if (type === 'DELETED') roles.delete(key);
  else roles.set(key, (entry.object.rules as readonly PolicyRule[] | undefined) ?? []);
}

function rebind(bindings: Bindings, { type, entry }: StoreEvent): void {
  if (type === 'DELETED') bindings.remove(entry.name);
  else bindings.put(bindingOf(entry.object));
}
