import type { Feature } from '../api/feature.js';

/** Returns the command that grants the rights that a feature server lacks for a feature. */
export function rightsRemedy({ metadata, spec }: Feature): string {
  return `for its rights run: slipway feature rbac ${spec.gate} -n ${metadata.namespace} | kubectl apply -f -`;
}
