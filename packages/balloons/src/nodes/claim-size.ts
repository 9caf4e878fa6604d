import type { Kube } from '@slipway/kube';
import { NodeSize } from '../api/node-size.js';
import { type Amounts, formatAmounts } from '../planner/amounts.js';

/** Who of us applies sizes: each as a field manager of its own. */
export const sizeManagers = { autosizer: 'slipway-autosizer', partition: 'slipway-host-partition' } as const;

/**
 * Applies a size as somebody's own. Callers look who declares it first: this takes it from everybody. What was asked for in another way is taken out first, for a
 * size is given in one way only.
 */
export async function claimSize(
  kube: Kube,
  size: NodeSize,
  to: Amounts,
  { fieldManager, signal }: { readonly fieldManager: string; readonly signal: AbortSignal },
): Promise<NodeSize> {
  const name = size.metadata.name ?? '';
  const spec = { mode: 'Size', size: formatAmounts(to) } as const;
  const sizes = kube.resource(NodeSize);
  const { balloon, fraction } = size.spec;
  if (balloon !== undefined || fraction !== undefined) {
    await sizes.merge({ name }, { spec: { ...spec, balloon: null, fraction: null } }, { signal });
  }
  return sizes.apply({ metadata: { name }, spec }, { fieldManager, force: true, signal });
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** Who declares the size by server-side apply, and so would write it again. */
export function claimantsOf({ metadata }: NodeSize): readonly string[] {
  return ((metadata.managedFields ?? []) as readonly ManagedFields[])
    .filter(({ operation, fieldsV1 }) => operation === 'Apply' && fieldsV1 !== undefined && 'f:spec' in fieldsV1)
    .map(({ manager = '' }) => manager);
}
