import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { ignoreConflict } from './ignore-conflict.js';

/** What an object that is there becomes; undefined when it stays as it is. */
export type Change = (there: KubeObject) => KubeObject | undefined;

/**
 * Makes objects that every cluster has, and changes those that are there. Of each kind all objects are listed once, at the
 * first of its kind; whoever writes the same at the same time is left to it.
 */
export function objectEnsurer(
  kube: Kube,
): (resource: ResourceRef, declared: KubeObject, change?: Change) => Promise<void> {
  const known = new Map<ResourceRef, Promise<ReadonlyMap<string, KubeObject>>>();
  return async (resource, declared, change = () => undefined) => {
    const client = kube.resource(resource);
    const listing =
      known.get(resource) ?? client.list().then(({ items }) => new Map(items.map((one) => [keyOf(one), one])));
    known.set(resource, listing);
    const there = (await listing).get(keyOf(declared));
    if (!there) return ignoreConflict(client.create(declared));
    const changed = change(there);
    return changed && ignoreConflict(client.replace(changed));
  };
}

function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}
