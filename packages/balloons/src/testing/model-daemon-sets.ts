import { type KubeObject, ownerReference } from '@slipway/kube';
import { Node } from '../nodes/node-view.js';
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
    const taken = new Set(cluster.balloons().map(nodeOf));
    for (const node of nodes) {
      if (selects(set, node) && !taken.has(node.metadata.name ?? '')) cluster.put(Pod, podOf(cluster, set, node));
    }
  }
}

function selects(set: KubeObject, node: KubeObject): boolean {
  const wanted: Record<string, string> = set.spec?.template.spec.nodeSelector ?? {};
  return Object.entries(wanted).every(([key, value]) => node.metadata.labels?.[key] === value);
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
