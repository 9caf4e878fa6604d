import { imageVolumeGate } from '../registry/gate-names.js';
import type { GatedFields } from './gated-fields.js';

/** Fields of a pod, or of a template of pods at `field`, that only exist while a gate is on. */
export function podGates(field: string): GatedFields {
  return { [imageVolumeGate]: [`${field}.volumes[*].image`] };
}
