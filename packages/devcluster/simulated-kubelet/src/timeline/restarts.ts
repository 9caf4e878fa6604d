import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { allowsRestart } from '@slipway/kube-objects/rules/restart-policy';

/** What a container is in its pod. */
export type ContainerKind = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** Whether a container that ended by itself with this code is started again. An init container that succeeded is not, nor an ephemeral one. */
export function isRestarted(pod: Pod, container: Container, kind: ContainerKind, exitCode: number): boolean {
  if (kind === 'ephemeral' || (kind === 'init' && exitCode === 0)) return false;
  return allowsRestart(pod.spec, container, exitCode);
}
