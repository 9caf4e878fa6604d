import { forbidden } from '../registry/status-errors.js';
import type { AdmissionHook } from './admission.js';

const defaultAccount = 'default';

/**
 * Pods run as the `default` service account of their namespace unless they name
 * another, which must be there. The default one is not looked for: it is made
 * when the namespace is, and a pod may be quicker. No token is mounted.
 */
export const defaultServiceAccount: AdmissionHook = ({ operation, resource, subresource, object }, reader) => {
  if (operation !== 'CREATE' || resource.group !== '' || resource.plural !== 'pods' || subresource !== '') return;
  const { name: pod = '', namespace = '' } = object.metadata;
  const name: string = object.spec.serviceAccountName || defaultAccount;
  if (name !== defaultAccount && !reader.latest('serviceaccounts', namespace, name)) {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
    throw forbidden(resource, pod, why);
  }
  object.spec.serviceAccountName = name;
  object.spec.serviceAccount = name;
};
