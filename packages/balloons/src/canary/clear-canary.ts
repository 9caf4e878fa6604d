import type { Kube, KubeObject } from '@slipway/kube';
import { group } from '../api/group.js';
import { Node } from '../nodes/node-view.js';
import { Pod } from '../pods/pod.js';
import { PriorityClass } from '../priority/priority-modes.js';
import { nodeOf } from '../world/balloon-world.js';
import { type CanaryPlace, canaryLabel, rivalClass } from './canary-pods.js';

/** Annotation of a node that only a canary has cordoned. */
const closedByCanary = `${group}/closed-by-canary`;

/** Keeps other pods away. Nodes that others have cordoned stay cordoned. */
export async function closeNode(kube: Kube, node: string, signal: AbortSignal): Promise<void> {
  const change = (draft: KubeObject) => {
    if (draft.spec?.unschedulable) return;
    draft.spec = { ...draft.spec, unschedulable: true };
    draft.metadata.annotations = { ...draft.metadata.annotations, [closedByCanary]: 'true' };
  };
  await kube.resource(Node).mutate({ name: node }, change, { signal });
}

/** Takes away everything that canaries made for a node, whichever of them it was, and opens it again. */
export async function clearCanary(
  kube: Kube,
  place: Pick<CanaryPlace, 'node' | 'namespace'>,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${canaryLabel}=true`;
  const { items } = await kube.resource(Pod).list({ namespace: place.namespace, labelSelector, signal });
  for (const pod of items.filter((each) => nodeOf(each) === place.node)) {
    const { name = '', namespace } = pod.metadata;
    await kube.resource(Pod).delete({ name, namespace }, { gracePeriodSeconds: 0, signal });
  }
  await kube.resource(PriorityClass).delete({ name: rivalClass(place).metadata.name ?? '' }, { signal });
  const open = (draft: KubeObject) => {
    if (draft.metadata.annotations?.[closedByCanary] === undefined) return;
    delete draft.metadata.annotations[closedByCanary];
    const { unschedulable: _closed, ...spec } = draft.spec ?? {};
    draft.spec = spec;
  };
  await kube.resource(Node).mutate({ name: place.node }, open, { signal });
}
