import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { userInfo } from '@slipway/api-machinery/identity/user-info';
import { defineReview } from '@slipway/api-server/registry/define-review';
import { invalidToken, TokenError } from '@slipway/api-server/registry/review';

/** Who bears this token: what servers ask about clients of theirs. */
export const tokenReviews = defineReview({
  group: 'authentication.k8s.io',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
  message: 'authentication.v1.TokenReview',
  async answer(review, { checkToken }) {
    const { token = '', audiences = [] } = review.spec ?? {};
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    try {
      const checked = await checkToken(token, audiences.length > 0 ? audiences : undefined);
      const status = { authenticated: true, user: userInfo(checked.user), audiences: checked.audiences };
      return { ...review, status };
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      return { ...review, status: { user: {}, error: whyNot(error) } };
    }
  },
});

/** A malformed token is not checked further. */
function whyNot({ message }: TokenError): string {
  return message === invalidToken ? message : `[${invalidToken}, ${message}]`;
}
