import type { KubeObject, OwnerReference } from '@slipway/kube';
import type { Call } from '../core/core.js';

/** Removes owner references that an object has twice, in place, and warns about them. */
export function removeRepeatedOwners(
  { warn }: Call,
  { metadata }: KubeObject,
  when: 'as sent' | 'after admission',
): void {
  const owners = metadata.ownerReferences;
  if (!Array.isArray(owners) || owners.length < 2) return;
  const seen = new Set<string>();
  const kept: typeof owners = [];
  const repeated: string[] = [];
  for (const owner of owners) {
    const key = keyOf(owner);
    if (seen.has(key)) repeated.push(owner.uid);
    else kept.push(owner);
    seen.add(key);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  const happened = when === 'as sent' ? '' : ' after mutating admission happens';
  warn(
    `.metadata.ownerReferences contains duplicate entries${happened}; API server dedups owner references in 1.20+, ` +
      'and may reject such requests as early as 1.24; please fix your requests; ' +
      `duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}

/** The same for references that say the same. An object may have many thousands of them. */
function keyOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
}
