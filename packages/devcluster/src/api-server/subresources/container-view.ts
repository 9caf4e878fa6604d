import type { Pod } from '../../controllers/api/pods.js';
import type { ContainerFields } from '../../kinds/pod-spec.js';
import type { ContainerView } from '../../kubelet/exec/container-view.js';
import { badRequest, notFound, statusError } from '../../registry/status-errors.js';
import type { Call, Core } from '../core.js';
import { serve } from '../payloads.js';
import { containerNamed } from './container-named.js';
import { podToken } from './pod-token.js';

/** The pod of a request, which has to be on a node. @throws StatusError */
export function podOnNode(core: Core, { definition, namespace, name }: Call): Pod {
  const entry = core.store.get(definition.storedAs, namespace, name);
  if (!entry) throw notFound(definition, name);
  const pod = serve(definition, entry).object as Pod;
  if (!pod.spec.nodeName) throw badRequest(`pod ${name} does not have a host assigned`);
  return pod;
}

/** A container of a pod that runs. @throws StatusError */
export function runningContainer(core: Core, pod: Pod, asked: string): ContainerView {
  const named = containerNamed(pod, asked);
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  if (!statuses.find(({ name }) => name === named)?.state.running) {
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
    lookUp: (resource, name) => core.store.get(resource, namespace, name)?.object,
    services: () => core.store.list('services', {}).entries.map(({ object }) => object),
    token: (seconds, audience) => podToken(core, pod, seconds, audience),
    clock: core.clock,
  };
}
