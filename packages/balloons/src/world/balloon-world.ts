import {
  effectiveRequests,
  type Informer,
  type InformerFactory,
  type InformerOptions,
  type KubeObject,
  type Lister,
  type ResourceRef,
} from '@slipway/kube';
import { BalloonPolicy } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import { NodeSize } from '../api/node-size.js';
import { Node, type NodeView, readNode } from '../nodes/node-view.js';
import { type Amounts, amountsOf, plus } from '../planner/amounts.js';
import { isBalloonPod } from '../pods/balloon-pod.js';
import { Pod } from '../pods/pod.js';
import { type PodShare, podShare, RequestedAmounts } from './requested-amounts.js';

/** The cached objects of the cluster that balloons depend on. */
export class BalloonWorld {
  readonly sizes: Lister<NodeSize>;
  readonly policies: Informer<BalloonPolicy>;
  readonly nodes: Informer;
  readonly balloons: Informer;
  /** All pods, reduced to what counts here. */
  readonly shares: Informer<PodShare>;
  /** The resources that must be listed before the first decision. */
  readonly needed: readonly { readonly of: ResourceRef; readonly options: InformerOptions }[];
  /** Requests of workload pods by node. */
  readonly requested: RequestedAmounts;

  readonly #isOn: () => boolean;

  /** `changed` receives the name of a node to reconcile; while `isOn` returns false, all policies are off. */
  constructor(informers: InformerFactory, namespace: string, changed: (node: string) => void, isOn: () => boolean) {
    this.#isOn = isOn;
    this.sizes = informers.informer(NodeSize).lister;
    this.policies = informers.informer(BalloonPolicy);
    this.nodes = informers.informer(Node);
    const balloons = { namespace, labelSelector: `${keys.balloon}=true` };
    this.balloons = informers.informer(Pod, balloons);
    this.balloons.addIndex(byNode, (pod) => (isBalloonPod(pod, namespace) ? [nodeOf(pod)] : []));
    const all = { transform: podShare(namespace) as (pod: KubeObject) => KubeObject };
    this.shares = informers.informer(Pod, all) as unknown as Informer<PodShare>;
    this.needed = [
      { of: BalloonPolicy, options: {} },
      { of: Node, options: {} },
      { of: Pod, options: balloons },
      { of: Pod, options: all },
    ];
    this.requested = new RequestedAmounts(this.shares, changed);
    this.nodes.onChange(({ object }) => changed(object.metadata.name ?? ''));
    this.balloons.onChange(({ object }) => changed(nodeOf(object)));
  }

  /** Returns the policies, disabled while the gate is off. */
  policyList(): readonly BalloonPolicy[] {
    return this.policies.lister.list().map((policy) => this.#inForce(policy));
  }

  policy(name: string): BalloonPolicy | undefined {
    const policy = this.policies.lister.get({ name });
    return policy && this.#inForce(policy);
  }

  #inForce(policy: BalloonPolicy): BalloonPolicy {
    return this.#isOn() ? policy : { ...policy, spec: { ...policy.spec, enabled: false } };
  }

  node(name: string): NodeView | undefined {
    const node = this.nodes.lister.get({ name });
    return node && readNode(node);
  }

  /** Returns the balloon pod of a node; of several, the one that is not being deleted. */
  balloonOf(node: string): KubeObject | undefined {
    const pods = this.balloons.lister.byIndex(byNode, node).filter((pod) => pod.status?.phase !== 'Failed');
    return pods.find(({ metadata }) => metadata.deletionTimestamp === undefined) ?? pods[0];
  }

  /** Returns the names of bound balloon pods by node. */
  balloonNames(): ReadonlyMap<string, string> {
    const bound = this.balloons.lister.list().filter(({ spec }) => spec?.nodeName);
    return new Map(bound.map(({ metadata, spec }) => [spec?.nodeName ?? '', metadata.name ?? '']));
  }

  /** Sums the requests of all pods of a node but one balloon; a balloon that is being deleted still counts. */
  requestedBeside(node: string, uid: string | undefined): Amounts {
    const others = this.balloons.lister
      .byIndex(byNode, node)
      .filter((pod) => pod.metadata.uid !== uid && pod.spec?.nodeName);
    return others.reduce((sum, pod) => plus(sum, amountsOf(effectiveRequests(pod))), this.requested.of(node));
  }
}

const byNode = 'node';

/** Returns the node of a balloon pod or, while it is not bound, the node it was created for. */
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
