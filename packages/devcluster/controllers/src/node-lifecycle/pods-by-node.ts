import type { Informer } from '@slipway/kube';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

const index = 'node';

/** The pods of a cluster, which can be asked for by node. */
export function podsByNode({ informers }: Pick<WorkloadDeps, 'informers'>): {
  readonly informer: Informer<Pod>;
  on(nodeName: string): readonly Pod[];
} {
  const informer = informers.informer(pods);
  informer.addIndex(index, nodeNames);
  return { informer, on: (nodeName) => informer.lister.byIndex(index, nodeName) };
}

/** One function for all informers: an index may be added again, but only by the same function. */
function nodeNames({ spec }: Pod): readonly string[] {
  return spec.nodeName ? [spec.nodeName] : [];
}
