import { type Kube, type KubeObject, timestamp } from '@slipway/kube';
import { keys } from '../api/group.js';
import { Node, type Taint } from '../nodes/node-view.js';

/** Keeps new pods from a node while its balloon grows. What runs there stays. */
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

/** Takes the fence away, whoever left it. That the node is gone is fine. */
export async function lowerFence(kube: Kube, node: string, signal: AbortSignal): Promise<void> {
  await kube.resource(Node).mutate(
    { name: node },
    (draft) => {
      withoutTaint(draft, keys.resizing);
      if (draft.metadata.annotations) delete draft.metadata.annotations[keys.fencedUntil];
    },
    { signal },
  );
}

/** Keeps pods from a node whose balloon has no size yet. */
export async function closeUntilSized(kube: Kube, node: string, signal: AbortSignal): Promise<void> {
  const taint: Taint = { key: keys.unsized, effect: 'NoSchedule' };
  await kube.resource(Node).mutate({ name: node }, (draft) => setTaint(draft, taint), { signal });
}

export async function openSized(kube: Kube, node: string, signal: AbortSignal): Promise<void> {
  await kube.resource(Node).mutate({ name: node }, (draft) => withoutTaint(draft, keys.unsized), { signal });
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
