import { hasReason, type Kube, type KubeObject, timestamp } from '@slipway/kube';
import { keys } from '../api/group.js';
import { hasTaint, Node, type NodeView, type Taint } from './node-view.js';

/** Keeps new pods from a node while its balloon grows. Running pods stay. */
export async function raiseFence(
  kube: Kube,
  node: string,
  { value, untilMs }: { readonly value: string; readonly untilMs: number },
  signal: AbortSignal,
): Promise<void> {
  await kube.resource(Node).mutate(
    { name: node },
    (draft) => {
      setTaint(draft, { key: keys.resizing, value, effect: 'NoSchedule' });
      draft.metadata.annotations = { ...draft.metadata.annotations, [keys.fencedUntil]: timestamp(untilMs) };
    },
    { signal },
  );
}

/** Removes the fence, whichever resize raised it. */
export async function lowerFence(kube: Kube, node: string, signal: AbortSignal): Promise<void> {
  await changeNode(kube, node, dropFence, signal);
}

/** Removes a fence that was left behind and, once the balloon has its size, the taint `unsized`. */
export async function openNode(kube: Kube, node: NodeView, isSized: boolean, signal: AbortSignal): Promise<void> {
  const isFenced = hasTaint(node, keys.resizing) || node.fencedUntilMs !== undefined;
  const isClosed = isSized && hasTaint(node, keys.unsized);
  if (!isFenced && !isClosed) return;
  const change = (draft: KubeObject) => {
    dropFence(draft);
    if (isSized) withoutTaint(draft, keys.unsized);
  };
  await changeNode(kube, node.name, change, signal);
}

/** Removes our taints, annotations and labels from a node. */
export async function releaseNode(kube: Kube, node: string, signal: AbortSignal): Promise<void> {
  const change = (draft: KubeObject) => {
    dropFence(draft);
    withoutTaint(draft, keys.unsized);
    withoutString(draft, keys.noPreempt);
    if (draft.metadata.labels) delete draft.metadata.labels[keys.managed];
  };
  await changeNode(kube, node, change, signal);
}

/** Ignores a node that was deleted. */
async function changeNode(
  kube: Kube,
  node: string,
  change: (draft: KubeObject) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    await kube.resource(Node).mutate({ name: node }, change, { signal });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}

function dropFence(draft: KubeObject): void {
  withoutTaint(draft, keys.resizing);
  if (draft.metadata.annotations) delete draft.metadata.annotations[keys.fencedUntil];
}

function withoutString(draft: KubeObject, text: string): void {
  const policy = draft.spec?.podPreemptionPolicy;
  const strings: readonly string[] = policy?.disableResizePreemption ?? [];
  if (!strings.includes(text)) return;
  const rest = strings.filter((other) => other !== text);
  draft.spec = { ...draft.spec, podPreemptionPolicy: { ...policy, disableResizePreemption: rest } };
}

/** Keeps new pods from a node whose balloon does not have its size. */
export async function closeUntilSized(kube: Kube, node: string, signal: AbortSignal): Promise<void> {
  const taint: Taint = { key: keys.unsized, effect: 'NoSchedule' };
  await kube.resource(Node).mutate({ name: node }, (draft) => setTaint(draft, taint), { signal });
}

function setTaint(node: KubeObject, taint: Taint): void {
  const others = taintsOf(node).filter(({ key }) => key !== taint.key);
  node.spec = { ...node.spec, taints: [...others, taint] };
}

function withoutTaint(node: KubeObject, key: string): void {
  const others = taintsOf(node).filter((taint) => taint.key !== key);
  if (others.length < taintsOf(node).length) node.spec = { ...node.spec, taints: others };
}

function taintsOf(node: KubeObject): readonly Taint[] {
  return node.spec?.taints ?? [];
}
