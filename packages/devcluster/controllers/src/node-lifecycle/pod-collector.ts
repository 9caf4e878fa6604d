import {
  Controller,
  type Informer,
  type KubeObject,
  type ObjectRef,
  type Reconciler,
  refOf,
  retryLostRaces,
} from '@slipway/kube';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isFinished, isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { ifThere, markDisrupted } from '@slipway/kube-objects/rules/disruption-target';
import { olderFirst } from '../workloads/older-first.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { isAway } from './node-conditions.js';
import { podsByNode } from './pods-by-node.js';

/** A node that is missing may be about to register: so long its pods are left alone. */
const quarantineMs = 40_000;
/** How many finished pods may stay about, as Kubernetes has it. */
const keptFinished = 12_500;
const outOfService = 'node.kubernetes.io/out-of-service';

export interface PodCollectorDeps extends WorkloadDeps {
  /** How many finished pods may stay about. Default: 12,500. */
  readonly keptFinished?: number;
}

/** Removes pods that no kubelet will remove: their node is gone or out of service, or they never had one; and finished ones beyond a limit. */
export function podCollector(deps: PodCollectorDeps): Controller {
  const { keptFinished: _, ...rest } = deps;
  const { on } = podsByNode(deps);
  const nodeLister = deps.informers.informer(nodes).lister;
  const podsInTrouble = ({ metadata: { name = '' } }: KubeObject) => {
    const node = nodeLister.get({ name });
    return !node || isOutOfService(node) ? on(name).map(refOf) : [];
  };
  return new Controller({
    ...rest,
    name: 'pod-garbage-collector',
    for: pods,
    watches: [{ of: nodes, map: podsInTrouble }],
    workers: 2,
    reconcile: retryLostRaces(podCollectorReconciler(deps)),
  });
}

/** Looks at one pod. Asks the API server, not only its cache, before it takes a node for gone. */
function podCollectorReconciler(deps: Omit<PodCollectorDeps, 'log'>): Reconciler {
  const { kube } = deps;
  const { informer } = podsByNode(deps);
  const nodeLister = deps.informers.informer(nodes).lister;
  informer.addIndex(finished, finishedKeys);
  const missingSince = new Map<string, number>();
  return async (ref, { signal }) => {
    const pod = informer.lister.get(ref);
    if (!pod) return;
    const name = pod.spec.nodeName ?? '';
    const node = nodeLister.get({ name });
    if (node) missingSince.delete(name);
    if (isFinished(pod)) {
      for (const old of surplusOf(informer, deps.keptFinished ?? keptFinished)) await collect(refOf(old), old, signal);
    }
    if (node ? isTerminating(pod) && isOutOfService(node) : isTerminating(pod) && !name) {
      await markFailed(ref, pod, signal);
      return collect(ref, pod, signal);
    }
    if (node || !name) return;

    const nowMs = kube.clock.monotonicMs();
    const sinceMs = missingSince.get(name) ?? nowMs;
    missingSince.set(name, sinceMs);
    const waitMs = sinceMs + quarantineMs - nowMs;
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    if (await kube.resource(nodes).find({ name }, signal)) return { requeueAfterMs: quarantineMs };
    await markDisrupted(kube, ref, pod.metadata.uid ?? '', cause, signal);
    return collect(ref, pod, signal);
  };

  async function collect(ref: ObjectRef, { metadata: { uid = '' } }: Pod, signal: AbortSignal): Promise<void> {
    await kube.resource(pods).delete(ref, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
  }

  /** A controller that counts ended pods waits for this one's end, which only this one reports. */
  async function markFailed(ref: ObjectRef, { metadata: { uid } }: Pod, signal: AbortSignal): Promise<void> {
    const change = (draft: Pod) => {
      if (draft.metadata.uid === uid && !isFinished(draft)) draft.status = { ...draft.status, phase: 'Failed' };
    };
    await ifThere(kube.resource(pods).mutate(ref, change, { subresource: 'status', signal }));
  }
}

const cause = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists', fails: true } as const;

function isOutOfService(node: Node): boolean {
  return isAway(node) && (node.spec?.taints?.some(({ key }) => key === outOfService) ?? false);
}

const finished = 'finished';

/** The oldest of too many finished pods. */
function surplusOf(informer: Informer<Pod>, kept: number): readonly Pod[] {
  const all = informer.lister.byIndex(finished, finished);
  return all.length <= kept ? [] : [...all].sort(olderFirst).slice(0, all.length - kept);
}

/** One function for all informers: an index may be added again, but only by the same function. */
function finishedKeys(pod: Pod): readonly string[] {
  return isFinished(pod) && !isTerminating(pod) ? [finished] : [];
}
