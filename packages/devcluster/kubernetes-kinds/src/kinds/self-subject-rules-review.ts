import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { aggregate } from '@slipway/api-server/auth/rbac/rbac-authorizer';
import { defineReview } from '@slipway/api-server/registry/define-review';
import { authorizationGroup } from './access-review.js';

/** What may I: what `kubectl auth can-i --list` asks. */
export const selfSubjectRulesReviews = defineReview({
  group: authorizationGroup,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  message: 'authorization.v1.SelfSubjectRulesReview',
  answer(review, { user, authorizer }) {
    const namespace: string = review.spec?.namespace ?? '';
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, problems, incomplete } = authorizer.rulesFor(user, namespace);
    const resourceRules = rules
      .filter(({ resources = [] }) => resources.length > 0)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames.length > 0 ? { resourceNames } : {}),
      }));
    const nonResourceRules = rules
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs }));
    const evaluationError = problems.length === 0 ? {} : { evaluationError: aggregate(problems) };
    // The question is not repeated.
    const { kind, apiVersion } = review;
    return {
      kind,
      apiVersion,
      metadata: {},
      spec: {},
      status: { resourceRules, nonResourceRules, incomplete, ...evaluationError },
    };
  },
});
