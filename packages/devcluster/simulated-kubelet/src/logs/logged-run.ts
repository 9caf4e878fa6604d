import type { ContainerState, ContainerStatus, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { LoggedRun } from '@slipway/kube-objects/node-connection/node-connection';

/** The run of a container whose log is asked for, or why there is none in the words of a kubelet. */
export function loggedRun(pod: Pod, container: string, previous: boolean): LoggedRun | string {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  const status = all.find(({ name }) => name === container);
  const named = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)}`;
  if (!status) return `${named} is not available`;
  const { state, lastState = {} } = status;
  if (previous) return lastState.terminated ? endedRun(status, lastState) : `previous terminated ${named} not found`;
  if (state.running) {
    const { image, restartCount: restarts } = status;
    return { container, image, restarts, startedAtMs: Date.parse(state.running.startedAt), ended: undefined };
  }
  if (state.terminated?.startedAt === null) return `${named} is terminated`;
  if (state.terminated) return endedRun(status, state);
  return lastState.terminated ? endedRun(status, lastState) : `${named} is waiting to start: ${whyWaiting(state)}`;
}

function endedRun(status: ContainerStatus, of: ContainerState): LoggedRun {
  const { name: container, image, restartCount, state } = status;
  const { startedAt, finishedAt, exitCode = 0 } = of.terminated ?? {};
  const ended = { atMs: Date.parse(finishedAt ?? ''), exitCode };
  const restarts = of === state || state.waiting ? restartCount : restartCount - 1;
  return { container, image, restarts, startedAtMs: Date.parse(startedAt ?? ''), ended };
}

function whyWaiting({ waiting }: ContainerState): string {
  if (waiting?.reason === 'ErrImagePull') return "image can't be pulled";
  if (waiting?.reason === 'ImagePullBackOff') return 'trying and failing to pull image';
  return waiting?.reason ?? '';
}
