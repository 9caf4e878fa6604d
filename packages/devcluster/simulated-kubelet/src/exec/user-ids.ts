import type { ContainerView } from './container-view.js';
import type { UserIds } from './process.js';

interface SecurityFields {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly fsGroup?: number;
  readonly supplementalGroups?: readonly number[] | null;
}

/** The user that processes of a container run as: root, unless the pod or the container says something else. */
export function userIdsOf({ pod, container }: Pick<ContainerView, 'pod' | 'container'>): UserIds {
  const ofPod = (pod.spec.securityContext ?? {}) as SecurityFields;
  const own = (container.securityContext ?? {}) as SecurityFields;
  const user = own.runAsUser ?? ofPod.runAsUser ?? 0;
  const group = own.runAsGroup ?? ofPod.runAsGroup ?? 0;
  const more = [ofPod.fsGroup, ...(ofPod.supplementalGroups ?? [])].filter((id) => id !== undefined);
  return { user, group, groups: [...new Set([group, ...more.sort((a, b) => a - b)])] };
}
