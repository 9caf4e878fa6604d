import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';
import type { User } from '@slipway/api-machinery/identity/user';
import { defineReview } from '@slipway/api-server/registry/define-review';
import type { KubeObject } from '@slipway/kube';
import { authorizationGroup, reviewed, validateBare, validateOneAction, validateSelectors } from './access-review.js';

/** Asks whether a user may do something, for servers that delegate authorization. */
export const subjectAccessReviews = defineReview({
  group: authorizationGroup,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
  message: 'authorization.v1.SubjectAccessReview',
  validate: (review) => [...validateSubject(review), ...validateBare(review)],
  answer: (review, { authorizer }) => reviewed(review, subjectOf(review), authorizer),
});

/** Validates the subject and the action of a review. */
export function validateSubject({ spec = {} }: KubeObject): FieldError[] {
  const isNamed = Boolean(spec.user) || (spec.groups?.length ?? 0) > 0;
  const noSubject = invalid('spec.user', '', 'at least one of user or group must be specified');
  return [...validateOneAction(spec), ...(isNamed ? [] : [noSubject]), ...validateSelectors(spec)];
}

/** Returns the user whom a review names, without adding groups. */
export function subjectOf({ spec = {} }: KubeObject): User {
  const { user = '', groups = [], uid, extra } = spec;
  return { name: user, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}
