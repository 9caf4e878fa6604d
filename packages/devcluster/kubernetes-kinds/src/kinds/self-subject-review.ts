import { userInfo } from '@slipway/api-machinery/identity/user-info';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { defineReview } from '@slipway/api-server/registry/define-review';

/** Who am I: what `kubectl auth whoami` asks. */
export const selfSubjectReviews = defineReview({
  group: 'authentication.k8s.io',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  message: 'authentication.v1.SelfSubjectReview',
  answer: ({ kind, apiVersion }, { user, nowMs }) => ({
    kind,
    apiVersion,
    metadata: { creationTimestamp: objectTime(nowMs) },
    status: { userInfo: userInfo(user) },
  }),
});
