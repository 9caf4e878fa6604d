import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import type { AdmissionHook } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';
import type { PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';
import { mirrorAnnotation } from '@slipway/kube-objects/rules/well-known';
import { mountAccountToken } from './mount-account-token.js';

const defaultAccount = 'default';

/**
 * Pods run as the `default` service account of their namespace unless they name another, which must be there. They get
 * its token and its pull secrets, unless they or the account say otherwise. The default one may be missing: it is made
 * when the namespace is, and a pod may be quicker.
 *
 * @param suffix draws five characters that make the name of a volume one of its own
 */
export function useServiceAccount(suffix: () => string): AdmissionHook {
  return ({ operation, resource, subresource, object }, reader) => {
    if (operation !== 'CREATE' || resource.group !== '' || resource.plural !== 'pods' || subresource !== '') return;
    const { name: pod = '', namespace = '', annotations = {} } = object.metadata;
    const spec: PodSpecFields = object.spec;
    // It shows a pod that its kubelet has from elsewhere, and stays as it is.
    if (Object.hasOwn(annotations, mirrorAnnotation)) {
      if (spec.serviceAccountName) throw forbidden(resource, pod, 'a mirror pod may not reference service accounts');
      return;
    }
    const name = spec.serviceAccountName || defaultAccount;
    const account = reader.latest('serviceaccounts', namespace, name)?.object;
    if (!account && name !== defaultAccount) {
      const why = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
      throw forbidden(resource, pod, why);
    }
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
    if (spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true) {
      mountAccountToken(spec, suffix);
    }
    addPullSecrets(spec, account);
  };
}

function addPullSecrets(spec: PodSpecFields, account: KubeObject | undefined): void {
  const known: readonly { name?: string }[] = account?.imagePullSecrets ?? [];
  const own = spec.imagePullSecrets as readonly unknown[] | null | undefined;
  if (known.length > 0 && !own?.length) spec.imagePullSecrets = known.map(({ name }) => ({ name }));
}
