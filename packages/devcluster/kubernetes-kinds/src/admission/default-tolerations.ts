import type { AdmissionHook } from '@slipway/api-server/attributes/admission';
import type { TolerationFields } from '@slipway/kube-objects/kinds/pod-spec';

const keys = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const effect = 'NoExecute';
const seconds = 300;

/**
 * Pods stay on a node that is not ready or not reachable for five minutes, unless
 * they say otherwise. On updates too, so that replacing a pod by its manifest
 * does not take tolerations away.
 */
export const addDefaultTolerations: AdmissionHook = ({ resource, subresource, object }) => {
  if (resource.group !== '' || resource.plural !== 'pods' || subresource !== '') return;
  const tolerations: readonly TolerationFields[] = object.spec.tolerations ?? [];
  const missing = keys.filter((key) => !tolerations.some((toleration) => covers(toleration, key)));
  if (missing.length === 0) return;
  const added = missing.map((key) => ({ key, operator: 'Exists', effect, tolerationSeconds: seconds }));
  object.spec.tolerations = [...tolerations, ...added];
};

function covers(toleration: TolerationFields, key: string): boolean {
  const hasKey = !toleration.key || toleration.key === key;
  return hasKey && (!toleration.effect || toleration.effect === effect);
}
