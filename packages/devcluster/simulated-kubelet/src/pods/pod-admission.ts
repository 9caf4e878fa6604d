import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type Amounts, amountsOfList } from '@slipway/kube-objects/rules/amounts';
import { type HostPort, hostPortsOf } from '@slipway/kube-objects/rules/host-ports';
import { matchesNode } from '@slipway/kube-objects/rules/node-affinity';
import { untolerated } from '@slipway/kube-objects/rules/taints';
import { amountsAsked } from '../allocation/allocation.js';
import { isStatic } from './critical-pod.js';

/** Why a kubelet does not take a pod, or not at its new size. */
export type AdmissionFailure =
  | {
      readonly kind: 'resource';
      readonly resource: string;
      readonly requested: number;
      readonly used: number;
      readonly capacity: number;
    }
  | { readonly kind: 'predicate'; readonly name: string; readonly message: string };

/** As the status of a pod and the event about it say it. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** What is on a node beside the pod that is looked at. */
export interface Occupied {
  readonly amounts: Amounts;
  /** Whether a port of the host is taken, named as `protocol/port`. */
  readonly hasPort: (port: HostPort) => boolean;
}

/**
 * Lists why a pod cannot run on this node: a client may have set `nodeName` without the scheduler, or two schedulers
 * may have assigned the same resources. The first failure is the one that is reported.
 */
export function admissionFailures(pod: Pod, node: Node, others: Occupied): readonly AdmissionFailure[] {
  return [...shortages(pod, node, others.amounts), ...failedPredicates(pod, node, others)];
}

function shortages(pod: Pod, node: Node, others: Amounts): AdmissionFailure[] {
  const asked = amountsAsked(pod);
  const allocatable = amountsOfList(node.status?.allocatable);
  const ordered = ['pods', 'cpu', 'memory', 'ephemeral-storage'];
  // What the node has not heard of may be the business of others, as devices of a cluster are.
  const devices = [...asked.keys()].filter((name) => !ordered.includes(name) && allocatable.has(name));
  return [...ordered, ...devices].flatMap((resource) => {
    const [requested, used] = [asked.get(resource) ?? 0, others.get(resource) ?? 0];
    const capacity = allocatable.get(resource) ?? 0;
    return requested > 0 && requested > capacity - used
      ? [{ kind: 'resource', resource, requested, used, capacity } as const]
      : [];
  });
}

function failedPredicates(pod: Pod, node: Node, { hasPort }: Occupied): AdmissionFailure[] {
  const failures: AdmissionFailure[] = [];
  const failed = (name: string, why: string) =>
    failures.push({ kind: 'predicate', name, message: `Predicate ${name} failed: ${why}` });
  if (!matchesNode(pod, node)) failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (hostPortsOf(pod).some(hasPort)) {
    failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  }
  const { tolerations = [] } = pod.spec;
  if (!isStatic(pod) && untolerated(node.spec?.taints ?? [], tolerations, ['NoExecute'])) {
    failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  }
  return failures;
}

/** A failure in the words of the kubelet. */
export function rejection(failure: AdmissionFailure): Rejection {
  if (failure.kind === 'predicate') return { reason: failure.name, message: failure.message };
  const { resource, requested, used, capacity } = failure;
  const figures = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { reason: `OutOf${resource}`, message: `Node didn't have enough resource: ${resource}, ${figures}` };
}
