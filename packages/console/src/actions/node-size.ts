import { randomUUID } from 'node:crypto';
import {
  createDefaultPolicy,
  minus,
  type NodeSizeSpec,
  type ObservedNode,
  parseAmounts,
  previewRequest,
  requestSize,
} from '@slipway/balloons';
import { inWords } from '@slipway/balloons/views';
import type { Kube } from '@slipway/kube';

/** A size as a person asks for it. */
export type AskedSize = { readonly cpu: string; readonly memory: string } | 'full';

/** The plan of a resize, before anything is done. */
export interface SizePlan {
  readonly kind: 'impossible' | 'at-size' | 'resize';
  /** What would be done, or why nothing can be, in a sentence. */
  readonly message: string;
  /** Whether a BalloonPolicy for all nodes is created first, because none manages the node. */
  readonly createsPolicy: boolean;
}

/** Says what would be done for a size. Writes nothing. @throws WishError, QuantityError when it cannot be read */
export function planSizeOf(observed: ObservedNode, asked: AskedSize): SizePlan {
  const { numbers, node, policy } = observed;
  const preview = previewRequest(observed, specOf(observed, asked));
  const createsPolicy = policy === undefined && preview.kind !== 'impossible';
  if (preview.kind === 'impossible') return { kind: 'impossible', message: preview.message, createsPolicy };
  if (preview.kind === 'at-size') {
    return { kind: 'at-size', message: `${node.name} has ${inWords(numbers.size)} for pods already.`, createsPolicy };
  }
  const to = minus(numbers.allocatable, preview.plan.to);
  const message = `${node.name} would go from ${inWords(numbers.size)} to ${inWords(to)} for pods.`;
  return { kind: 'resize', message, createsPolicy };
}

/** Asks the balloon controller for a size. @throws SizeRefusedError when another manager has applied it, or it is paused */
export async function askForSize(
  kube: Kube,
  observed: ObservedNode,
  asked: AskedSize,
  signal: AbortSignal,
): Promise<void> {
  if (!observed.policy) await createDefaultPolicy(kube, observed.node.name, signal);
  const spec = { ...specOf(observed, asked), requestID: randomUUID() };
  await requestSize(kube, observed, spec, { force: false, signal });
}

/** A resource that is asked for whole stays whole when the hardware grows. */
function specOf({ numbers }: ObservedNode, asked: AskedSize): NodeSizeSpec {
  if (asked === 'full') return { mode: 'Full' };
  const size = parseAmounts(asked);
  const some = {
    ...(size.cpu < numbers.allocatable.cpu && { cpu: asked.cpu }),
    ...(size.memory < numbers.allocatable.memory && { memory: asked.memory }),
  };
  const isMore = size.cpu > numbers.allocatable.cpu || size.memory > numbers.allocatable.memory;
  if (isMore) return { mode: 'Size', size: asked };
  return Object.keys(some).length === 0 ? { mode: 'Full' } : { mode: 'Size', size: some };
}
