import { type KubeObject, ownerReference, timestamp } from '@slipway/kube';
import { selectsNode } from '../autosize/node-rules.js';
import { Node, readNode } from '../nodes/node-view.js';
import { Pod } from '../pods/pod.js';
import { PriorityClass } from '../priority/priority-modes.js';
import { nodeOf } from '../world/balloon-world.js';
import type { ModelCluster } from './model-cluster.js';

/** One pod per node that a DaemonSet selects; pods that failed or lost their DaemonSet go. */
export async function runDaemonSets(cluster: ModelCluster): Promise<void> {
  const sets = cluster.daemonSets();
  const nodes = cluster.api.stored(Node);
  for (const pod of cluster.pods().filter(({ metadata }) => metadata.namespace === 'kube-system')) {
    const set = sets.find(({ metadata }) => metadata.uid === pod.metadata.ownerReferences?.[0]?.uid);
    const node = nodes.find(({ metadata }) => metadata.name === nodeOf(pod));
    const stays = set && node && selects(set, node) && pod.status?.phase !== 'Failed';
    if (!stays) await cluster.deletePod(pod);
  }
  for (const set of sets) {
    const own = cluster.balloons().filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === set.metadata.uid);
    const taken = new Set(own.map(nodeOf));
    for (const node of nodes) {
      if (selects(set, node) && !taken.has(node.metadata.name ?? '')) cluster.put(Pod, podOf(cluster, set, node));
    }
  }
}

function selects(set: KubeObject, node: KubeObject): boolean {
  return selectsNode(set.spec?.template, readNode(node));
}

function podOf(cluster: ModelCluster, set: KubeObject, node: KubeObject): KubeObject {
  const { metadata, spec } = set.spec?.template ?? {};
  const uid = cluster.newUID();
  const priority = cluster.api.stored(PriorityClass).find((each) => each.metadata.name === spec.priorityClassName);
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node.metadata.name] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      namespace: 'kube-system',
      name: `${set.metadata.name}-${uid}`,
      uid,
      generation: 1,
      creationTimestamp: timestamp(cluster.clock.now()),
      ownerReferences: [ownerReference(set, { controller: true })],
    },
    spec: {
      ...spec,
      affinity: { nodeAffinity },
      priority: priority?.value ?? 0,
      preemptionPolicy: priority?.preemptionPolicy,
    },
    status: { phase: 'Pending' },
  };
}
