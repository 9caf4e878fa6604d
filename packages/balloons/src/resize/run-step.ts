import { type Kube, type KubeObject, type ReconcileContext, type SpanRecorder, sameJson } from '@slipway/kube';
import { NodeSize, type NodeSizeStatus } from '../api/node-size.js';
import { closeUntilSized, openNode, raiseFence } from '../nodes/fence.js';
import type { NodeView } from '../nodes/node-view.js';
import { patchImage } from '../pods/patch-balloon.js';
import type { NodeMemories } from './node-memory.js';
import { refusedEnding } from './refusals.js';
import { resizeSpan } from './resize-spans.js';
import type { Step } from './step.js';

/** The objects that a step changes. */
export interface StepTarget {
  readonly size: NodeSize;
  readonly node: NodeView | undefined;
  readonly pod: KubeObject | undefined;
}

interface RunDeps {
  readonly kube: Kube;
  readonly memories: NodeMemories;
  readonly context: ReconcileContext;
  readonly trace: SpanRecorder | undefined;
}

/** Carries out a step in the order of its fields, except for `next`. Returns the NodeSize as it is stored then. */
export async function runStep(step: Step, { size, node, pod }: StepTarget, deps: RunDeps): Promise<NodeSize> {
  const { kube, memories, context } = deps;
  const { signal, events } = context;
  const { name = '' } = size.metadata;
  if (step.image !== undefined && pod) await replaceImage(kube, pod, step.image, signal);
  if (step.open && node) await openNode(kube, node, step.open.isSized, signal);
  if (step.foreignResize !== undefined) events.event(size, 'Warning', 'ExternalResizeReverted', step.foreignResize);
  const stored = step.status ? await storeStatus(size, step.status, deps) : size;
  if (step.remember) memories.update(name, step.remember);
  if (step.releaseSlot) memories.slots.release(name);
  if (step.close?.kind === 'unsized') await closeUntilSized(kube, name, signal);
  if (step.close?.kind === 'fence') await raiseFence(kube, name, step.close, signal);
  return stored;
}

async function storeStatus(
  size: NodeSize,
  status: NodeSizeStatus,
  { kube, memories, context, trace }: RunDeps,
): Promise<NodeSize> {
  if (sameJson(status, size.status ?? {})) return size;
  const stored = await kube.resource(NodeSize).replaceStatus({ ...size, status }, { signal: context.signal });
  const { work } = memories.of(size.metadata.name ?? '');
  const ended = work && resizeSpan(work, stored, kube.clock);
  if (ended) trace?.(ended);
  memories.update(size.metadata.name ?? '', { reportedAtMs: kube.clock.monotonicMs() });
  return memories.own.note(size, stored);
}

async function replaceImage(kube: Kube, pod: KubeObject, image: string, signal: AbortSignal): Promise<void> {
  try {
    await patchImage(kube, pod, image, signal);
  } catch (error) {
    // The pod was replaced or deleted; the change of the pod reconciles the node again.
    if (!refusedEnding(error)) throw error;
  }
}
