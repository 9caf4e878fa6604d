import type { AdmissionHook } from '../../api-server/attributes/admission.js';

/** Keep a claim, and a volume, that is asked to go until nobody uses it; their controllers take them off. */
export const claimProtection = 'kubernetes.io/pvc-protection';
export const volumeProtection = 'kubernetes.io/pv-protection';

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
