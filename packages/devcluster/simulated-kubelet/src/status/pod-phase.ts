import type { ContainerStatus, Pod, PodStatus } from '@slipway/kube-objects/kinds/api/pods';
import { allowsRestart } from '@slipway/kube-objects/rules/restart-policy';

/**
 * The phase that follows from what the containers do, by the rules of a kubelet: a container that waits
 * to be restarted counts as one that ran, not as one that has yet to start.
 *
 * @param isSetUp whether the init containers are through
 */
export function podPhase(
  pod: Pod,
  isSetUp: boolean,
  init: readonly ContainerStatus[],
  main: readonly ContainerStatus[],
): NonNullable<PodStatus['phase']> {
  const { initContainers = [], containers } = pod.spec;
  const declared = new Map([...initContainers, ...containers].map((container) => [container.name, container]));
  const isOver = ({ name, state, lastState }: ContainerStatus) => {
    const ended = state.terminated ?? (state.waiting && lastState?.terminated);
    const container = declared.get(name);
    return ended !== undefined && container !== undefined && !allowsRestart(pod.spec, container, ended.exitCode);
  };
  const hasFailed = ({ state }: ContainerStatus) => state.terminated !== undefined && state.terminated.exitCode !== 0;
  if (!isSetUp) return init.some((each) => hasFailed(each) && isOver(each)) ? 'Failed' : 'Pending';
  if (main.some(({ state, lastState }) => state.waiting && !lastState?.terminated)) return 'Pending';
  if (!main.every(isOver)) return 'Running';
  return main.some(hasFailed) ? 'Failed' : 'Succeeded';
}
