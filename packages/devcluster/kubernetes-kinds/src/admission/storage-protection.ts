import type { AdmissionHook } from '@slipway/api-server/attributes/admission';
import { claimProtection, volumeProtection } from '@slipway/kube-objects/rules/well-known';

const protections: Readonly<Record<string, string>> = {
  persistentvolumeclaims: claimProtection,
  persistentvolumes: volumeProtection,
};

/** New claims and volumes do not go while they are in use. */
export const protectStorage: AdmissionHook = ({ operation, resource, subresource, object }) => {
  if (operation !== 'CREATE' || resource.group !== '' || subresource !== '') return;
  const protection = protections[resource.plural];
  const { metadata } = object;
  if (protection === undefined || metadata.finalizers?.includes(protection)) return;
  metadata.finalizers = [...(metadata.finalizers ?? []), protection];
};
