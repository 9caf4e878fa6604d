import type { ContainerStatus } from '@slipway/kube-objects/kinds/api/pods';

/** The statuses of the init containers of a pod, and of its other containers. */
export interface PodContainers {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
}

/**
 * The statuses of a pod that was stopped, by the rules of a kubelet: containers whose turn had come and that never
 * started count as failed, because it is not known what became of them. Those whose turn had not come go on waiting.
 *
 * @param isSetUp whether the init containers were through
 */
export function withNeverStarted({ init, main }: PodContainers, isSetUp: boolean): PodContainers {
  const begun = Math.max(0, init.findLastIndex(hasStarted));
  return {
    init: init.map((status, index) => (index <= begun ? located(status) : status)),
    main: isSetUp || main.some(hasStarted) ? main.map(located) : main,
  };
}

function hasStarted({ state, lastState }: ContainerStatus): boolean {
  return state.waiting === undefined || lastState?.terminated !== undefined;
}

function located(status: ContainerStatus): ContainerStatus {
  if (status.state.terminated) return status;
  const message = 'The container could not be located when the pod was terminated';
  const terminated = { exitCode: 137, reason: 'ContainerStatusUnknown', message, startedAt: null, finishedAt: null };
  return { ...status, state: { terminated } };
}
