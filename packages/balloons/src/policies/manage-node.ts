import { ensureFinalizer, hasFinalizer, hasReason, type Kube, type KubeObject, ownerReference } from '@slipway/kube';
import type { BalloonPolicy } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import { NodeSize, type NodeSizeSpec } from '../api/node-size.js';
import { Node, type NodeView } from '../nodes/node-view.js';
import type { EffectiveMode } from '../priority/priority-modes.js';

export interface NodeToManage {
  readonly kube: Kube;
  readonly node: NodeView;
  readonly policy: BalloonPolicy;
  readonly mode: EffectiveMode;
  readonly size: NodeSize | undefined;
}

/** Creates the NodeSize of a node, then sets the label that its DaemonSet selects. Writes only what is missing. */
export async function manageNode({ kube, node, policy, mode, size }: NodeToManage, signal: AbortSignal): Promise<void> {
  if (!size) await createSize(kube, node, policy, signal);
  else if (!size.metadata.deletionTimestamp && !hasFinalizer(size, keys.restore)) {
    const change = (draft: NodeSize) => ensureFinalizer(draft, keys.restore);
    await kube.resource(NodeSize).mutate({ name: node.name }, change, { signal });
  }
  const { name = '' } = policy.metadata;
  const isLabelled = node.labels[keys.managed] === name;
  if (isLabelled && (mode !== 'Protected' || node.neverPreemptsForResize)) return;
  const change = (draft: KubeObject) => {
    draft.metadata.labels = { ...draft.metadata.labels, [keys.managed]: name };
    if (mode === 'Protected') neverPreempt(draft);
  };
  await kube.resource(Node).mutate({ name: node.name }, change, { signal });
}

async function createSize(kube: Kube, node: NodeView, policy: BalloonPolicy, signal: AbortSignal): Promise<void> {
  const size = newNodeSize(node, policy, policy.spec.default ?? { mode: 'Full' });
  try {
    await kube.resource(NodeSize).create(size, { signal });
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}

/** Returns the NodeSize for a node that has none yet. */
export function newNodeSize(node: NodeView, policy: BalloonPolicy, spec: NodeSizeSpec): NodeSize {
  const owner: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: node.name, uid: node.uid } };
  const isOwned = policy.spec.nodeSizeRetention !== 'Keep';
  return {
    apiVersion: `${NodeSize.group}/${NodeSize.version}`,
    kind: NodeSize.kind,
    metadata: {
      name: node.name,
      finalizers: [keys.restore],
      ...(isOwned && { ownerReferences: [ownerReference(owner, { controller: false })] }),
    },
    spec,
  };
}

/** Disables preemption by resizes on a node; API servers without the gate of 1.37 drop the field. */
function neverPreempt(node: KubeObject): void {
  const policy = node.spec?.podPreemptionPolicy;
  const others: readonly string[] = policy?.disableResizePreemption ?? [];
  if (others.includes(keys.noPreempt)) return;
  const disableResizePreemption = [...others, keys.noPreempt];
  node.spec = { ...node.spec, podPreemptionPolicy: { ...policy, disableResizePreemption } };
}
