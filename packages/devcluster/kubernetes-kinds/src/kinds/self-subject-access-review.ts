import { defineReview } from '@slipway/api-server/registry/define-review';
import { authorizationGroup, reviewed, validateBare, validateOneAction, validateSelectors } from './access-review.js';

/** May I: what `kubectl auth can-i` asks. */
export const selfSubjectAccessReviews = defineReview({
  group: authorizationGroup,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  message: 'authorization.v1.SelfSubjectAccessReview',
  validate: (review) => [
    ...validateOneAction(review.spec ?? {}),
    ...validateSelectors(review.spec ?? {}),
    ...validateBare(review),
  ],
  answer: (review, { user, authorizer }) => reviewed(review, user, authorizer),
});
