import { expect, test } from 'vitest';
import { approvalCondition } from './community-approval.js';
import { aDefinition } from './testing/a-definition.js';

const annotated = (group: string, approval?: string) => {
  const definition = aDefinition({ group });
  const annotations = approval === undefined ? {} : { 'api-approved.kubernetes.io': approval };
  return { ...definition, metadata: { ...definition.metadata, annotations } };
};

// group | annotation | status | reason | message
const cases: [string, string | undefined, string?, string?, string?][] = [
  ['toys.k8s.io', 'https://example.org/1', 'True', 'ApprovedAnnotation', 'approved in https://example.org/1'],
  ['toys.kubernetes.io', 'unapproved', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved"'],
  ['toys.k8s.io', 'unapproved, yet', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved, yet"'],
  ['toys.x-k8s.io', 'https://example.org/1'],
  ['toys.example.org', undefined],
];

test.for(cases)('approvalCondition() of %s with %s', ([group, approval, status, reason, message]) => {
  const expected = status && { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message };
  expect(approvalCondition(annotated(group, approval))).toEqual(expected);
});
