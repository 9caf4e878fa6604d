import {
  type Amounts,
  amountsOf,
  type BalloonPod,
  BalloonPolicy,
  choosePolicy,
  isBalloonPod,
  Node,
  type NodeNumbers,
  NodeSize,
  type NodeView,
  nodeNumbers,
  nothing,
  Pod,
  plus,
  readBalloonPod,
  readNode,
} from '@slipway/balloons';
import {
  effectiveRequests,
  hasReason,
  type Kube,
  type KubeObject,
  type ListOptions,
  parseLabelSelector,
  type ResourceRef,
} from '@slipway/kube';
import { CommandError, exit } from '../../runtime/exit.js';

/** Where balloon pods live. */
export const balloonNamespace = 'kube-system';

/** One node as it is now, with everything that says how large it is. */
export interface ObservedNode {
  readonly node: NodeView;
  /** What was asked for; undefined where nothing manages the node. */
  readonly size: NodeSize | undefined;
  readonly policy: BalloonPolicy | undefined;
  readonly balloon: BalloonPod | undefined;
  readonly numbers: NodeNumbers;
  /** The pods on the node, the balloon apart. */
  readonly pods: readonly KubeObject[];
}

/** Which nodes: by name, by label, or all of them. */
export interface WhichNodes {
  readonly names?: readonly string[];
  readonly selector?: string | undefined;
}

/**
 * Reads nodes, their sizes and their pods from the API server.
 * @throws CommandError: usage for a name or a selector that fits no node, cluster when sizes are not served.
 */
export async function observeNodes(
  kube: Kube,
  { names = [], selector }: WhichNodes,
  signal: AbortSignal,
): Promise<readonly ObservedNode[]> {
  if (selector !== undefined) parseLabelSelector(selector);
  const ofPods = names.length === 1 ? { fieldSelector: `spec.nodeName=${names[0]}` } : {};
  const [sizes, policies, nodes, pods] = await Promise.all([
    served(() => listAll(kube, NodeSize, { signal })),
    served(() => listAll(kube, BalloonPolicy, { signal })),
    listAll(kube, Node, { labelSelector: selector, signal }),
    listAll(kube, Pod, { ...ofPods, signal }),
  ]);
  const sizeOf = new Map(sizes.map((size) => [size.metadata.name, size]));
  const podsOf = byNode(pods);
  return chosen(nodes, names, selector)
    .map(readNode)
    .map((node) => observed(node, sizeOf.get(node.name), policies, podsOf.get(node.name) ?? []))
    .sort((a, b) => a.node.name.localeCompare(b.node.name, 'en', { numeric: true }));
}

/** Returns the amounts that a pod takes of its node. */
export function requestedBy(pod: KubeObject): Amounts {
  return amountsOf(effectiveRequests(pod));
}

function observed(
  node: NodeView,
  size: NodeSize | undefined,
  policies: readonly BalloonPolicy[],
  all: readonly KubeObject[],
): ObservedNode {
  const balloonPod = all.find((pod) => isBalloonPod(pod, balloonNamespace) && pod.status?.phase !== 'Failed');
  const balloon = balloonPod && readBalloonPod(balloonPod);
  const pods = all.filter((pod) => pod !== balloonPod);
  const requested = pods.reduce((sum, pod) => plus(sum, requestedBy(pod)), nothing);
  const policy = choosePolicy(node, policies);
  return { node, size, policy, balloon, pods, numbers: nodeNumbers(node, balloon, requested) };
}

function byNode(pods: readonly KubeObject[]): ReadonlyMap<string, readonly KubeObject[]> {
  const all = new Map<string, KubeObject[]>();
  for (const pod of pods) {
    const node = pod.spec?.nodeName ?? '';
    const there = all.get(node);
    if (there) there.push(pod);
    else all.set(node, [pod]);
  }
  return all;
}

function chosen(nodes: readonly KubeObject[], names: readonly string[], selector: string | undefined) {
  const missing = names.find((name) => nodes.every(({ metadata }) => metadata.name !== name));
  if (missing !== undefined) {
    throw new CommandError(exit.usage, `there is no node "${missing}"`, 'take a name from: slipway node list');
  }
  if (selector !== undefined && nodes.length === 0) {
    throw new CommandError(exit.usage, `no node has the labels "${selector}"`, 'kubectl get nodes --show-labels');
  }
  return names.length === 0 ? nodes : nodes.filter(({ metadata }) => names.includes(metadata.name ?? ''));
}

async function listAll<T extends KubeObject>(kube: Kube, resource: ResourceRef<T>, options: ListOptions): Promise<T[]> {
  const all: T[] = [];
  for await (const page of kube.resource(resource).pages(options)) all.push(...page.items);
  return all;
}

/** @throws CommandError (cluster) when the cluster does not serve our kinds. */
async function served<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    throw new CommandError(exit.cluster, 'this cluster does not serve node sizes', 'slipway up', { cause: error });
  }
}
