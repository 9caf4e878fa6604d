import type { User } from '@slipway/api-machinery/identity/user';
import type { KubeObject } from '@slipway/kube';

/** Who a binding is for. */
export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  /** Of a service account; absent = that of the binding. */
  readonly namespace?: string;
}

/** Which role a binding gives. */
export interface RoleRef {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
}

/** A RoleBinding or, without a namespace, a ClusterRoleBinding. */
export interface Binding {
  readonly name: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

/** A stored binding, as far as deciding needs it. */
export function bindingOf({ metadata, roleRef, subjects }: KubeObject): Binding {
  const { name = '', namespace = '' } = metadata;
  return { name, namespace, roleRef, subjects: subjects ?? [] };
}

/** The bindings of one namespace, or those of the whole cluster, by whom they are for. */
export class Bindings {
  readonly #byName = new Map<string, Binding>();
  readonly #bySubject = new Map<string, Set<Binding>>();

  /** Takes a binding in, in place of one of the same name. */
  put(binding: Binding): void {
    this.remove(binding.name);
    this.#byName.set(binding.name, binding);
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, binding.namespace);
      const known = this.#bySubject.get(key);
      if (known) known.add(binding);
      else this.#bySubject.set(key, new Set([binding]));
    }
  }

  remove(name: string): void {
    const binding = this.#byName.get(name);
    if (!binding) return;
    this.#byName.delete(name);
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, binding.namespace);
      const known = this.#bySubject.get(key);
      known?.delete(binding);
      if (known?.size === 0) this.#bySubject.delete(key);
    }
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Those for a user, by name or by one of the user's groups. One that names the user twice comes twice. */
  *of(user: User): Iterable<Binding> {
    yield* this.#bySubject.get(`u:${user.name}`) ?? none;
    for (const group of user.groups) yield* this.#bySubject.get(`g:${group}`) ?? none;
  }
}

/** Whether a subject is this user, or a group of theirs. */
export function isSubject(subject: Subject, bindingNamespace: string, user: User): boolean {
  const key = subjectKey(subject, bindingNamespace);
  return key === `u:${user.name}` || user.groups.some((group) => key === `g:${group}`);
}

function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  if (kind === 'Group') return `g:${name}`;
  return kind === 'User' ? `u:${name}` : `u:system:serviceaccount:${namespace || bindingNamespace}:${name}`;
}

const none: readonly Binding[] = [];
