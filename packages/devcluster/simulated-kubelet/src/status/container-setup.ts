import type {
  Container,
  ContainerStatus,
  LinuxUser,
  Pod,
  VolumeMountStatus,
} from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerFields, MountFields } from '@slipway/kube-objects/kinds/pod-spec';
import { userIdsOf } from '../exec/user-ids.js';

/** The volumes that a container mounts, as its status lists them; nothing where it mounts none. */
export function mountsOf(container: Container): Pick<ContainerStatus, 'volumeMounts'> {
  const { volumeMounts } = container as unknown as ContainerFields;
  return volumeMounts?.length ? { volumeMounts: volumeMounts.map(mountStatus) } : {};
}

function mountStatus({ name = '', mountPath = '', readOnly, recursiveReadOnly }: MountFields): VolumeMountStatus {
  if (!readOnly) return { name, mountPath };
  const isRecursive = recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible';
  return { name, mountPath, readOnly, recursiveReadOnly: isRecursive ? 'Enabled' : 'Disabled' };
}

/** As whom a container runs. */
export function linuxUserOf(pod: Pod, container: Container): LinuxUser {
  const { user, group, groups } = userIdsOf({ pod, container: container as unknown as ContainerFields });
  return { uid: user, gid: group, supplementalGroups: groups };
}
