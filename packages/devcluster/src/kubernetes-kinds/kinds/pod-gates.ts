import type { GatedFields } from '../../api-server/registry/gated-fields.js';
import { imageVolumeGate } from '../../kube-objects/rules/gate-names.js';

/** Fields of a pod, or of a template of pods at `field`, that only exist while a gate is on. */
export function podGates(field: string): GatedFields {
  return { [imageVolumeGate]: [`${field}.volumes[*].image`] };
}
