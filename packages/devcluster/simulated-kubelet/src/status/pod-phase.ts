import type { ContainerStatus, Pod, PodStatus } from '@slipway/kube-objects/kinds/api/pods';

/**
 * The phase that follows from what the containers do, by the rules of a kubelet: a container that waits
 * to be restarted counts as one that ran, not as one that has yet to start.
 *
 * @param isSetUp whether the init containers are through
 */
export function podPhase(
  { spec: { restartPolicy = 'Always' } }: Pod,
  isSetUp: boolean,
  init: readonly ContainerStatus[],
  main: readonly ContainerStatus[],
): NonNullable<PodStatus['phase']> {
  const hasFailed = ({ state }: ContainerStatus) => state.terminated !== undefined && state.terminated.exitCode !== 0;
  if (!isSetUp) return restartPolicy === 'Never' && init.some(hasFailed) ? 'Failed' : 'Pending';
  if (main.some(({ state, lastState }) => state.waiting && !lastState?.terminated)) return 'Pending';
  if (restartPolicy === 'Always' || !main.every(({ state }) => state.terminated)) return 'Running';
  if (!main.some(hasFailed)) return 'Succeeded';
  return restartPolicy === 'Never' ? 'Failed' : 'Running';
}
