import { type EventRecorder, errorMessage, hasReason, isNamespaceTerminating, refOf } from '@slipway/kube';
import type { Deployment, ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import type { Writing } from '../workloads/write-pods.js';
import type { Action } from './plan-deployment.js';
import { isSameSet, scaleAnnotations } from './revisions.js';

/** What became of the ReplicaSet that was to be created. */
export type Made =
  | { readonly kind: 'created'; readonly name: string }
  | { readonly kind: 'create-failed'; readonly name: string; readonly message: string; readonly error: unknown }
  /** Something else has its name: it needs another one. */
  | { readonly kind: 'collision' };

/** Does what was planned. A ReplicaSet that changed since it was looked at is left alone: a Conflict, to be retried. */
export async function changeReplicaSets(
  writing: Writing<ReplicaSet>,
  deployment: Deployment,
  actions: readonly Action[],
): Promise<Made | undefined> {
  const { objects, events, signal } = writing;
  let made: Made | undefined;
  for (const action of actions) {
    const { set } = action;
    const { resourceVersion = '', uid = '' } = set.metadata;
    switch (action.kind) {
      case 'create':
        made = await create(writing, deployment, set);
        break;
      case 'align': {
        const { minReadySeconds = 0 } = deployment.spec;
        const metadata = { resourceVersion, annotations: action.annotations };
        await objects.merge(refOf(set), { metadata, spec: { minReadySeconds } }, signal);
        break;
      }
      case 'scale': {
        // An alignment before it in the same plan has moved the revision on.
        const { metadata: now = set.metadata } = objects.get(refOf(set)) ?? {};
        const metadata = { resourceVersion: now.resourceVersion, annotations: scaleAnnotations(deployment) };
        const { replicas } = action;
        await objects.merge(refOf(set), { metadata, spec: { replicas } }, signal);
        tellScaled(events, deployment, set, set.spec.replicas, replicas);
        break;
      }
      case 'delete':
        await objects.delete(set, { preconditions: { uid, resourceVersion }, signal });
        break;
    }
  }
  return made;
}

async function create(
  { objects, events, signal }: Writing<ReplicaSet>,
  deployment: Deployment,
  set: ReplicaSet,
): Promise<Made | undefined> {
  const { name = '' } = set.metadata;
  try {
    await objects.create(set, signal);
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    if (!hasReason(error, 'AlreadyExists')) {
      const message = errorMessage(error);
      events.event(
        deployment,
        'Warning',
        'ReplicaSetCreateError',
        `Failed to create new replica set "${name}": ${message}`,
      );
      return { kind: 'create-failed', name, message, error };
    }
    const found = await objects.client.find(refOf(set), signal);
    if (!found || !isSameSet(found, deployment)) return { kind: 'collision' };
    objects.wrote(found);
    return undefined;
  }
  tellScaled(events, deployment, set, 0, set.spec.replicas);
  return { kind: 'created', name };
}

function tellScaled(events: EventRecorder, deployment: Deployment, set: ReplicaSet, from: number, to: number): void {
  if (from === to) return;
  const direction = to > from ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
  events.event(deployment, 'Normal', 'ScalingReplicaSet', message);
}
