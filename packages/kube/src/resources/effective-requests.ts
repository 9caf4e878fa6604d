import type { KubeObject } from '../transport/objects.js';
import {
  type CountingRules,
  largestOf,
  type RequestingContainer,
  type ResourceAmounts,
  type ResourceList,
  sumRequests,
} from './pod-requests.js';

interface ContainerStatus {
  readonly name: string;
  /** What the kubelet has set aside; missing on servers that do not report it. */
  readonly allocatedResources?: ResourceList;
  /** What the container runs with. */
  readonly resources?: { readonly requests?: ResourceList };
}

interface Status {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}

/**
 * Returns what a pod takes of its node, also during a resize: per container the largest of its requested, allocated
 * and actual resources (KEP-1287). A size that the node can never give (`PodResizePending`, reason `Infeasible`) does
 * not count. A pod that has ended takes nothing.
 * @throws QuantityError when an amount cannot be read.
 */
export function effectiveRequests(pod: KubeObject, rules: CountingRules = {}): ResourceAmounts {
  const status: Status = pod.status ?? {};
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return {};
  const known = new Map(statusesThatCount(pod, status).map((each) => [each.name, each]));
  const infeasible = isInfeasible(status);
  const askedBy = ({ name = '', resources }: RequestingContainer) => {
    const actual = known.get(name);
    const asked = infeasible && actual ? undefined : resources?.requests;
    return largestOf(asked, actual?.allocatedResources, actual?.resources?.requests);
  };
  return sumRequests(pod, askedBy, rules);
}

/** An init container that ends is over before anything is resized; before resources were reported there is nothing to read. */
function statusesThatCount(pod: KubeObject, status: Status): readonly ContainerStatus[] {
  const initContainers: readonly RequestingContainer[] = pod.spec?.initContainers ?? [];
  const sidecars = new Set(
    initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const ofSidecars = (status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  return [...(status.containerStatuses ?? []), ...ofSidecars].filter(({ resources }) => resources !== undefined);
}

function isInfeasible({ conditions = [] }: Status): boolean {
  return conditions.some(({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible');
}
