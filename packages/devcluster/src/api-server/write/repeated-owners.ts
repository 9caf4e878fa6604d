import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject } from '@slipway/kube';
import type { Call } from '../core/core.js';

/** Removes owner references that an object has twice, in place, and warns about them. */
export function removeRepeatedOwners(
  { warn }: Call,
  { metadata }: KubeObject,
  when: 'as sent' | 'after admission',
): void {
  const owners = metadata.ownerReferences;
  if (!Array.isArray(owners) || owners.length < 2) return;
  const kept: typeof owners = [];
  const repeated: string[] = [];
  for (const owner of owners) {
    if (kept.some((other) => equalJson(other, owner))) repeated.push(owner.uid);
    else kept.push(owner);
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
