import { badRequest, internalError, notFound, statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { ContainerStatus, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { RunningContainer } from '@slipway/kube-objects/node-connection/node-connection';
import type { Call, Core } from '../core/core.js';
import { serve } from '../response/payloads.js';
import { containerNamed } from './container-named.js';
import { podToken } from './pod-token.js';

/** The pod of a request, which has to be on a node whose kubelet answers. @throws StatusError */
export function podOnNode(core: Core, { definition, namespace, name }: Call): Pod {
  const entry = core.store.get(definition.storedAs, namespace, name);
  if (!entry) throw notFound(definition, name);
  const pod = serve(definition, entry).object as Pod;
  const { nodeName } = pod.spec;
  if (!nodeName) throw badRequest(`pod ${name} does not have a host assigned`);
  if (!core.nodes.answers(nodeName)) throw internalError(`error dialing backend: ${kubeletRefuses(core, nodeName)}`);
  return pod;
}

/** The error of connecting to the kubelet of a node that is down. */
export function kubeletRefuses(core: Core, nodeName: string): string {
  return `dial tcp ${kubeletHost(core, nodeName)}: connect: connection refused`;
}

/** Address and port of the kubelet of a node. */
export function kubeletHost({ store }: Core, nodeName: string): string {
  const status = (store.get('nodes', '', nodeName)?.object as Node | undefined)?.status;
  const host = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? nodeName;
  return `${host}:${status?.daemonEndpoints?.kubeletEndpoint.Port ?? 10_250}`;
}

/** Finds the status of a container in its pod. */
export function statusOf({ status = {} }: Pod, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return all.find(({ name }) => name === container);
}

/** Tells one run of a container from the next. */
export function runOf({ containerID = '' }: ContainerStatus): string {
  return containerID.replace('simulated://', '');
}

/** A container of a pod that runs. @throws StatusError */
export function runningContainer(core: Core, pod: Pod, asked: string): RunningContainer {
  const named = containerNamed(pod, asked);
  const status = statusOf(pod, named);
  if (!status?.state.running) {
    throw statusError(404, 'NotFound', `container not found (${JSON.stringify(named)})`);
  }
  const {
    initContainers = [],
    containers,
    ephemeralContainers = [],
  } = pod.spec as unknown as Record<string, ContainerFields[]>;
  const container = [...(containers ?? []), ...initContainers, ...ephemeralContainers].find(
    ({ name }) => name === named,
  );
  const { namespace = '' } = pod.metadata;
  return {
    pod,
    container: container as ContainerFields,
    run: runOf(status),
    lookUp: (resource, name) => core.store.get(resource, resource === 'nodes' ? '' : namespace, name)?.object,
    services: () => core.store.list('services', {}).entries.map(({ object }) => object),
    token: (seconds, audience) => podToken(core, pod, seconds, audience),
    clock: core.clock,
  };
}
