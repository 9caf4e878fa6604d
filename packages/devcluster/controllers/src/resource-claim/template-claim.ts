import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ResourceClaim, ResourceClaimTemplate } from '@slipway/kube-objects/kinds/api/resource-claims';
import { podClaimAnnotation } from '@slipway/kube-objects/rules/pod-resource-claims';

/** Longest prefix of a drawn name that leaves room for a hyphen and five characters. */
const maxPrefix = 57;

/** Returns the claim of an entry of `spec.resourceClaims` of a pod, as its template has it. */
export function templateClaim(pod: Pod, entry: string, { spec }: ResourceClaimTemplate): ResourceClaim {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const { labels, annotations } = spec.metadata ?? {};
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      generateName: generatedPrefix(name, entry),
      namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, [podClaimAnnotation]: entry },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    },
    spec: spec.spec,
  };
}

/** Returns `POD-ENTRY-`, both names shortened alike if that is too long. */
function generatedPrefix(pod: string, entry: string): string {
  const prefix = `${pod}-${entry}-`;
  if (prefix.length <= maxPrefix) return prefix;
  return [pod, entry].map((name) => name.slice(0, Math.floor((name.length * maxPrefix) / prefix.length))).join('-');
}
