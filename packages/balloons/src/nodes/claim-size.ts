import type { Kube } from '@slipway/kube';
import { NodeSize } from '../api/node-size.js';
import { type Amounts, formatAmounts } from '../planner/amounts.js';

/** Field managers of the controllers that apply sizes. */
export const sizeManagers = { autosizer: 'slipway-autosizer', partition: 'slipway-host-partition' } as const;

/**
 * Applies a size as a field manager and takes its ownership from all others, so callers check the owner first. A balloon
 * or fraction in the spec is removed, since a spec has one of the three.
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

/** Returns the field managers that declare the size by server-side apply and so would write it again. */
export function claimantsOf({ metadata }: NodeSize): readonly string[] {
  return ((metadata.managedFields ?? []) as readonly ManagedFields[])
    .filter(({ operation, fieldsV1 }) => operation === 'Apply' && fieldsV1 !== undefined && 'f:spec' in fieldsV1)
    .map(({ manager = '' }) => manager);
}
