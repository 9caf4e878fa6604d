import { type KubeObject, podRequests, type ResourceAmounts } from '@slipway/kube';

interface Resources {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

/** A container as far as its resources go. */
export interface ContainerFields {
  readonly name: string;
  readonly restartPolicy?: string;
  resources?: Resources;
}

/** Adds up the requests of a pod's containers, without the overhead of its runtime. */
export function containerRequests(pod: KubeObject): ResourceAmounts {
  const { overhead: _, ...spec } = pod.spec;
  return podRequests({ ...pod, spec });
}

/** Adds up the limits of a pod's containers, by the same rule as requests. */
export function containerLimits(pod: KubeObject): ResourceAmounts {
  const { containers = [], initContainers = [], resources } = pod.spec;
  const swap = ({ limits = {} }: Resources = {}) => ({ requests: limits });
  const limited = (all: readonly ContainerFields[]) =>
    all.map(({ name, restartPolicy, resources: own }) => ({
      name,
      ...(restartPolicy && { restartPolicy }),
      resources: swap(own),
    }));
  const spec = {
    containers: limited(containers),
    initContainers: limited(initContainers),
    ...(resources && { resources: swap(resources) }),
  };
  return podRequests({ ...pod, spec });
}
