import { hasReason, Kube } from '@slipway/kube';
import { BalloonPolicy } from '../api/balloon-policy.js';
import { NodeSize, type NodeSizeSpec } from '../api/node-size.js';
import { claimantsOf } from '../nodes/claim-size.js';
import type { ObservedNode } from '../nodes/observed-node.js';
import { previewSize, type SizePreview } from '../nodes/preview-size.js';
import { readPolicy } from '../settings/policy-settings.js';
import { newNodeSize } from './manage-node.js';

/** A size that may not be written, and what a person does about it. */
export class SizeRefusedError extends Error {
  override readonly name = 'SizeRefusedError';
  readonly hint: string;
  /** The exit code of a command that it ends: the answer is no. */
  readonly exitCode = 1;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** Who is named as the writer of sizes that were typed. */
const fieldManager = 'slipway-node';
/** The policy that is made where none manages a node. */
export const defaultPolicy = 'default';

/** The policy of a node, or the one that is made for it: it has no settings, so every default holds. */
export function policyFor({ policy }: ObservedNode): BalloonPolicy {
  return policy ?? { ...kindOf(BalloonPolicy), metadata: { name: defaultPolicy }, spec: {} };
}

/**
 * Says what the controller would do for a spec of a node, by the policy of the node. Writes nothing.
 * @throws WishError, QuantityError when the spec cannot be read.
 */
export function previewRequest(observed: ObservedNode, spec: NodeSizeSpec): SizePreview {
  const { limits } = readPolicy(policyFor(observed));
  const { numbers, balloon } = observed;
  return previewSize({ ...numbers, balloon: balloon?.bound ? balloon.allocated : undefined, limits, spec });
}

/**
 * Makes the policy `default` for all nodes.
 * @throws SizeRefusedError when there is one of that name, which then does not manage the node on purpose.
 */
export async function createDefaultPolicy(kube: Kube, node: string, signal: AbortSignal): Promise<void> {
  const policy: BalloonPolicy = { ...kindOf(BalloonPolicy), metadata: { name: defaultPolicy }, spec: {} };
  try {
    await kube.resource(BalloonPolicy).create(policy, { signal });
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    const message = `no BalloonPolicy manages ${node}, and the one called ${defaultPolicy} is not for it or is off`;
    throw new SizeRefusedError(message, `kubectl edit balloonpolicy ${defaultPolicy}`, { cause: error });
  }
}

/**
 * Writes what was asked for into the NodeSize of a node. What a user declares by server-side
 * apply is left to them unless `force` is set.
 * @throws SizeRefusedError when another manager has applied the size, or it is paused.
 */
export async function requestSize(
  kube: Kube,
  observed: ObservedNode,
  spec: NodeSizeSpec,
  how: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { node } = observed;
  const sizes = new Kube(kube.transport, { clock: kube.clock, fieldManager }).resource(NodeSize);
  const change = (draft: NodeSize) => {
    if (!how.force) refuseConflict(draft);
    refusePaused(draft);
    return { ...draft, spec };
  };
  try {
    await sizes.mutate({ name: node.name }, change, { signal: how.signal });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    await createOrChange();
  }

  /** The controller makes NodeSizes too, at the same moment perhaps. */
  async function createOrChange(): Promise<void> {
    try {
      await sizes.create(newNodeSize(node, policyFor(observed), spec), { signal: how.signal });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      await sizes.mutate({ name: node.name }, change, { signal: how.signal });
    }
  }
}

function refuseConflict(size: NodeSize): void {
  const [other] = claimantsOf(size);
  if (other === undefined) return;
  const message = `the size of ${size.metadata.name} is applied by ${other}, which would write it again`;
  throw new SizeRefusedError(message, 'change it there, or add --force-conflicts');
}

function refusePaused({ metadata, spec }: NodeSize): void {
  if (!spec.paused) return;
  const hint = `kubectl patch nodesize ${metadata.name} --type merge -p '{"spec":{"paused":null}}'`;
  throw new SizeRefusedError(`the size of ${metadata.name} is paused`, hint);
}

function kindOf({ group, version, kind }: typeof BalloonPolicy) {
  return { apiVersion: `${group}/${version}`, kind };
}
