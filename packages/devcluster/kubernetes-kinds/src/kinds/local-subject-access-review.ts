import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';
import { defineReview } from '@slipway/api-server/registry/define-review';
import type { KubeObject } from '@slipway/kube';
import { authorizationGroup, reviewed, shownPath, validateBare } from './access-review.js';
import { subjectOf, validateSubject } from './subject-access-review.js';

/** Asks whether a user may do something in this namespace, for callers without access to others. */
export const localSubjectAccessReviews = defineReview({
  group: authorizationGroup,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
  message: 'authorization.v1.LocalSubjectAccessReview',
  validate: (review) => [...validateSubject(review), ...validateBare(review, 'namespace'), ...validatePlace(review)],
  answer: (review, { authorizer }) => reviewed(review, subjectOf(review), authorizer),
});

function validatePlace({ metadata, spec = {} }: KubeObject): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const errors: FieldError[] = [];
  if (resourceAttributes && resourceAttributes.namespace !== metadata.namespace) {
    const detail = 'must match metadata.namespace';
    errors.push(invalid('spec.resourceAttributes.namespace', resourceAttributes.namespace ?? '', detail));
  }
  if (nonResourceAttributes) {
    const detail = 'disallowed on this kind of request';
    errors.push(invalid('spec.nonResourceAttributes', shownPath(nonResourceAttributes), detail));
  }
  return errors;
}
