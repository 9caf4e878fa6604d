import { Controller, type InformerFactory, type Kube, type KubeObject, type Lister, type Logger } from '@slipway/kube';
import { HostPartition } from '../api/host-partition.js';
import { NodeSize } from '../api/node-size.js';
import { Node } from '../nodes/node-view.js';
import { partitionReconciler } from './partition-reconciler.js';

/** Splits machines between their kubelets. Runs in a Manager. */
export function partitionController(deps: {
  readonly kube: Kube;
  readonly informers: InformerFactory;
  readonly log: Logger;
}): Controller {
  const { kube, informers, log } = deps;
  const partitions: Lister<HostPartition> = informers.informer(HostPartition).lister;
  const all = () => partitions.list().map(({ metadata }) => ({ name: metadata.name ?? '' }));
  return new Controller({
    name: 'host-partition',
    kube,
    informers,
    for: HostPartition,
    watches: [
      { of: NodeSize, map: all },
      { of: Node, map: (node: KubeObject) => (hasCapacity(node) ? all() : []) },
    ],
    log,
    reconcile: partitionReconciler({
      kube,
      partitions,
      nodes: informers.informer(Node).lister,
      sizes: informers.informer(NodeSize).lister,
    }),
  });
}

function hasCapacity(node: KubeObject): boolean {
  return node.status?.capacity !== undefined;
}
