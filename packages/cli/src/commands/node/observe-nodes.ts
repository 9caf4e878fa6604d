import { BalloonPolicy, Node, NodeSize, type ObservedNode, observedNode, Pod, readNode } from '@slipway/balloons';
import {
  hasReason,
  type Kube,
  type KubeObject,
  type ListOptions,
  parseLabelSelector,
  type ResourceRef,
} from '@slipway/kube';
import { CommandError, exit } from '../../runtime/exit.js';

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
    .map((node) => observedNode(node, sizeOf.get(node.name), policies, podsOf.get(node.name) ?? []))
    .sort((a, b) => a.node.name.localeCompare(b.node.name, 'en', { numeric: true }));
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
