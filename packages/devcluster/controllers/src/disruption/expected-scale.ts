import { controllerOf, type InformerFactory, type Kube, type OwnerReference, pathOf } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { deployments, replicaSets, statefulSets } from '@slipway/kube-objects/kinds/api/workloads';

/** How many pods the owners of some pods want, and which pods have no owner. */
export interface ExpectedScale {
  readonly total: number;
  readonly unmanaged: readonly Pod[];
}

/**
 * Asks the owners of pods how many they want: workloads from the caches, others by their scale
 * subresource, each once. An owner that is gone or was made anew counts for nothing.
 *
 * The function it makes throws when the kind of an owner does not say how many pods it wants.
 */
export function expectedScale(deps: { readonly kube: Kube; readonly informers: InformerFactory }) {
  const sets = deps.informers.informer(replicaSets).lister;
  const rollouts = deps.informers.informer(deployments).lister;
  const stateful = deps.informers.informer(statefulSets).lister;

  const known = (owner: OwnerReference, namespace: string): number | undefined => {
    const ref = { name: owner.name, namespace };
    if (owner.kind === 'StatefulSet') return ofUid(stateful.get(ref), owner);
    const set = sets.get(ref);
    if (!set || set.metadata.uid !== owner.uid) return 0;
    const above = controllerOf(set);
    if (above?.kind !== 'Deployment') return set.spec.replicas;
    return ofUid(rollouts.get({ name: above.name, namespace }), above);
  };

  return async (pods: readonly Pod[], signal: AbortSignal): Promise<ExpectedScale> => {
    const owners = new Map(pods.flatMap((pod) => entryOf(pod)));
    const scales = await Promise.all(
      [...owners.values()].map(({ owner, namespace }) => {
        const isKnown = owner.apiVersion.startsWith('apps/') && ['ReplicaSet', 'StatefulSet'].includes(owner.kind);
        return isKnown ? known(owner, namespace) : askedScale(deps.kube, owner, namespace, signal);
      }),
    );
    // Several ReplicaSets of one Deployment all answer for it.
    const byWorkload = new Map([...owners.values()].map((entry, index) => [workloadOf(entry), scales[index] ?? 0]));
    const total = [...byWorkload.values()].reduce((sum, scale) => sum + scale, 0);
    return { total, unmanaged: pods.filter((pod) => !controllerOf(pod)) };
  };

  function workloadOf({ owner, namespace }: Owned): string {
    if (owner.kind !== 'ReplicaSet') return owner.uid;
    const set = sets.get({ name: owner.name, namespace });
    return (set && controllerOf(set)?.uid) ?? owner.uid;
  }
}

interface Owned {
  readonly owner: OwnerReference;
  readonly namespace: string;
}

function entryOf(pod: Pod): readonly (readonly [string, Owned])[] {
  const owner = controllerOf(pod);
  return owner ? [[owner.uid, { owner, namespace: pod.metadata.namespace ?? '' }]] : [];
}

function ofUid(
  workload: { metadata: { uid?: string }; spec: { replicas: number } } | undefined,
  owner: OwnerReference,
): number {
  return workload?.metadata.uid === owner.uid ? workload.spec.replicas : 0;
}

/** @throws Error when the kind is not served or has no scale. */
async function askedScale(kube: Kube, owner: OwnerReference, namespace: string, signal: AbortSignal): Promise<number> {
  const [group = '', version = ''] = owner.apiVersion.includes('/')
    ? owner.apiVersion.split('/')
    : ['', owner.apiVersion];
  const resource = (await kube.discover(signal)).find({ group, version, kind: owner.kind });
  if (!resource) throw new Error(`no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`);
  if (!resource.subresources.includes('scale')) {
    const name = group === '' ? resource.plural : `${resource.plural}.${group}`;
    throw new Error(`${name} does not implement the scale subresource`);
  }
  const path = pathOf(resource, namespace, owner.name, 'scale');
  const { status, body } = await kube.transport.request({ method: 'GET', path, signal });
  if (status === 404) return 0;
  const scale = body as { metadata?: { uid?: string }; spec?: { replicas?: number } };
  if (status !== 200) throw new Error(`the scale of ${owner.kind} ${owner.name} cannot be read: ${status}`);
  return scale.metadata?.uid === owner.uid ? (scale.spec?.replicas ?? 0) : 0;
}
