import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';

/** What a container is in its pod. */
export type ContainerKind = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** Whether a container that ended by itself with this code is started again. An init container that succeeded is not, nor an ephemeral one. */
export function isRestarted(pod: Pod, container: Container, kind: ContainerKind, exitCode: number): boolean {
  if (kind === 'ephemeral' || (kind === 'init' && exitCode === 0)) return false;
  return allowsRestart(pod, container, exitCode);
}

/**
 * Decides by the first of the container's rules that has this exit code, else by its restart policy, else by that of the pod (KEP-5307).
 * A rule to restart all containers counts as one to restart this one.
 */
export function allowsRestart({ spec }: Pod, container: Container, exitCode: number): boolean {
  const { restartPolicy = spec.restartPolicy ?? 'Always', restartPolicyRules = [] } = container;
  const isOfRule = restartPolicyRules?.some(({ exitCodes }) => {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes !== undefined && isListed === (exitCodes.operator === 'In');
  });
  if (isOfRule) return true;
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}
