import type { Informer, InformerFactory, KubeObject, Lister } from '@slipway/kube';
import { BalloonPolicy } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import { NodeSize } from '../api/node-size.js';
import { Node, type NodeView, Pod, readNode } from '../nodes/node-view.js';
import { type PodShare, podShare, RequestedAmounts } from '../nodes/requested-amounts.js';

/** What of the cluster balloons are about, as caches know it. */
export class BalloonWorld {
  readonly sizes: Lister<NodeSize>;
  readonly policies: Informer<BalloonPolicy>;
  readonly nodes: Informer;
  readonly balloons: Informer;
  readonly requested: RequestedAmounts;

  /** `changed` is called with the name of a node that is to be looked at. */
  constructor(informers: InformerFactory, namespace: string, changed: (node: string) => void) {
    this.sizes = informers.informer(NodeSize).lister;
    this.policies = informers.informer(BalloonPolicy);
    this.nodes = informers.informer(Node);
    this.balloons = informers.informer(Pod, { namespace, labelSelector: `${keys.balloon}=true` });
    this.balloons.addIndex(byNode, (pod) => [nodeOf(pod)]);
    const shares = informers.informer(Pod, { transform: podShare as (pod: KubeObject) => KubeObject });
    this.requested = new RequestedAmounts(shares as unknown as Informer<PodShare>, changed);
    this.nodes.onChange(({ object }) => changed(object.metadata.name ?? ''));
    this.balloons.onChange(({ object }) => changed(nodeOf(object)));
  }

  node(name: string): NodeView | undefined {
    const node = this.nodes.lister.get({ name });
    return node && readNode(node);
  }

  /** The balloon pod of a node; of several, the one that is not going. */
  balloonOf(node: string): KubeObject | undefined {
    const pods = this.balloons.lister.byIndex(byNode, node).filter((pod) => pod.status?.phase !== 'Failed');
    return pods.find(({ metadata }) => metadata.deletionTimestamp === undefined) ?? pods[0];
  }
}

const byNode = 'node';

/** The node a balloon pod is on or, while it is gated, made for. */
export function nodeOf(pod: KubeObject): string {
  if (pod.spec?.nodeName) return pod.spec.nodeName;
  const terms: readonly Term[] =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const names = terms.flatMap(({ matchFields = [] }) =>
    matchFields.filter(({ key }) => key === 'metadata.name').flatMap(({ values = [] }) => values),
  );
  return names[0] ?? '';
}

interface Term {
  readonly matchFields?: readonly { readonly key: string; readonly values?: readonly string[] }[];
}

/** Whether a pod still waits for its size. */
export function isGated(pod: KubeObject): boolean {
  const gates: readonly { readonly name: string }[] = pod.spec?.schedulingGates ?? [];
  return gates.some(({ name }) => name === keys.sizeGate);
}
