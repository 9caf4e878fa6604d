import { isOfSystem } from './group.js';

/** Which objects a definition may name: those of its own namespace, or all. */
export type Scope = 'Namespace' | 'Cluster';

/** What of a definition's spec says it. */
interface ScopedSpec {
  readonly scope?: Scope;
}

/** The scope of a definition in `namespace`. One that does not say reaches the cluster only where administrators write. */
export function scopeOf({ scope }: ScopedSpec, namespace: string | undefined): Scope {
  return scope ?? (isOfSystem(namespace) ? 'Cluster' : 'Namespace');
}

/** The only namespace whose objects a definition reaches; undefined when it reaches all. */
export function reachOf(definition: ScopedSpec, namespace: string | undefined): string | undefined {
  return scopeOf(definition, namespace) === 'Cluster' ? undefined : (namespace ?? '');
}
