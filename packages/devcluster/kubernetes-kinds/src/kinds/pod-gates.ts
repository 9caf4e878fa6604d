import type { GatedFields } from '@slipway/api-server/registry/gated-fields';
import { imageVolumeGate } from '@slipway/kube-objects/rules/gate-names';

/** Fields of a pod, or of a template of pods at `field`, that only exist while a gate is on. */
export function podGates(field: string): GatedFields {
  return { [imageVolumeGate]: [`${field}.volumes[*].image`] };
}
