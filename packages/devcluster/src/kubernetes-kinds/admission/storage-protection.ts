import type { AdmissionHook } from '../../api-server/attributes/admission.js';
import { claimProtection, volumeProtection } from '../../kube-objects/rules/well-known.js';

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
