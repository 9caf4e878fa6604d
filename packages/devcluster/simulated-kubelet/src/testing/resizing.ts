import { type AClusterOptions, aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube } from '@slipway/kube';
import {
  type ContainerResources,
  type Pod,
  type PodSpec,
  podCondition,
  pods,
} from '@slipway/kube-objects/kinds/api/pods';
import type { ResourceList } from '@slipway/kube-objects/kinds/resource-list';
import { until } from '@slipway/kube-objects/testing/until';

/** A pod that goes straight to node n1, past the scheduler; pods of a priority class go to kube-system. */
export function aPodAsking(
  name: string,
  requests: ResourceList,
  spec: Partial<PodSpec> = {},
  limits?: ResourceList,
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: spec.priorityClassName ? 'kube-system' : 'default' },
    spec: {
      nodeName: 'n1',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'image:1', resources: { requests, ...(limits && { limits }) } }],
      ...spec,
    },
  };
}

/** A cluster of one node of 4 cpus and 8 Gi, with what tests do to its pods. */
export async function aNode(options: AClusterOptions = {}) {
  const cluster = await aCluster({ nodes: 1, ...options });
  return { ...cluster, ...resizing(cluster.kube), [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

/** Returns what tests of a kubelet do to pods and wait for. */
export function resizing(kube: Kube) {
  const refOf = ({ metadata: { namespace = '', name = '' } }: Pod) => ({ namespace, name });
  const get = (pod: Pod) => kube.resource(pods).get(refOf(pod));
  const told = async (pod: Pod) => {
    const { items } = await kube.resource(Events).list();
    return items.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid).map(({ reason }) => reason);
  };
  const becomes = (pod: Pod, what: string, holds: (pod: Pod) => boolean) =>
    until(`${pod.metadata.name} to ${what}`, async () => {
      const seen = await get(pod);
      return holds(seen) && seen;
    });
  return {
    get,
    becomes,
    /** Creates a pod and waits until it runs. */
    async run(pod: Pod): Promise<Pod> {
      return becomes(await kube.resource(pods).create(pod), 'run', ({ status }) => status?.phase === 'Running');
    },
    /** Asks for other resources for the first container. */
    async resize(pod: Pod, resources: ContainerResources): Promise<Pod> {
      const { namespace, name } = pod.metadata;
      const containers = pod.spec.containers.map((each, index) => ({
        name: each.name,
        ...(index === 0 && { resources }),
      }));
      const { status, body } = await kube.transport.request({
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/pods/${name}/resize`,
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: { spec: { containers } },
      });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body as Pod;
    },
    /** Waits until the first container runs with this much cpu, and nothing more is to come. */
    runsWith: (pod: Pod, cpu: string) =>
      becomes(pod, `run with ${cpu}`, (seen) => firstOf(seen)?.resources?.requests?.cpu === cpu && !isResizing(seen)),
    /** Waits until a resize is refused with this reason. */
    isPending: (pod: Pod, reason: 'Deferred' | 'Infeasible') =>
      becomes(pod, `be ${reason}`, (seen) => podCondition(seen, 'PodResizePending')?.reason === reason),
    fails: (pod: Pod) => becomes(pod, 'fail', ({ status }) => status?.phase === 'Failed'),
    async remove(pod: Pod): Promise<void> {
      await kube.resource(pods).delete(refOf(pod));
      await until(`${pod.metadata.name} to go`, async () => !(await kube.resource(pods).find(refOf(pod))));
    },
    /** Reasons of the events about a pod, in the order they came. */
    told,
    /** Waits for an event about a pod. */
    isTold: (pod: Pod, reason: string) => until(`${reason} to be told`, async () => (await told(pod)).includes(reason)),
  };
}

/** The status of the first container. */
export function firstOf({ status }: Pod) {
  return status?.containerStatuses?.[0];
}

function isResizing(pod: Pod): boolean {
  return ['PodResizePending', 'PodResizeInProgress'].some((type) => podCondition(pod, type) !== undefined);
}
