import type { CustomResourceDefinition, DefinitionCondition } from './definition-object.js';

/** The annotation of a definition whose group belongs to the Kubernetes community: the address of an approval. */
export const approvalAnnotation = 'api-approved.kubernetes.io';

type Condition = Omit<DefinitionCondition, 'lastTransitionTime'>;

/** Whether definitions of an API group need an approval of the Kubernetes community. */
export function isCommunityGroup(group: string | undefined): boolean {
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group ?? '');
}

/** Reads the approval of a definition; `bypassed` is one that says that there is none. */
export function approvalOf({ metadata }: CustomResourceDefinition): 'missing' | 'given' | 'bypassed' | 'invalid' {
  const given = metadata.annotations?.[approvalAnnotation] ?? '';
  if (given === '') return 'missing';
  if (given.startsWith('unapproved')) return 'bypassed';
  return /^[a-z][-+.a-z0-9]*:\/\/[^/\s]/i.test(given) ? 'given' : 'invalid';
}

/** The condition that says whether a definition is approved; undefined for groups that need no approval. */
export function approvalCondition(definition: CustomResourceDefinition): Condition | undefined {
  if (!isCommunityGroup(definition.spec.group)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const given = definition.metadata.annotations?.[approvalAnnotation] ?? '';
  return approvalOf(definition) === 'given'
    ? { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${given}` }
    : { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(given)}` };
}
