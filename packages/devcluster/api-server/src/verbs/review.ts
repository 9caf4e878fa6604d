import { invalid } from '@slipway/api-machinery/errors/status-errors';
import type { Call, Core } from '../core/core.js';
import { objectAnswer } from '../core/represent.js';
import type { AnswerReview } from '../registry/review.js';
import type { ApiAnswer } from '../request/request.js';
import { readPartBody } from '../subresources/part-body.js';
import { admitBody } from '../write/admission-attributes.js';

/** POST of a question: it is answered, and nothing is stored. */
export async function review(core: Core, call: Call, answer: AnswerReview): Promise<ApiAnswer> {
  const { definition, request } = call;
  const { object, dryRun } = readPartBody(core, call, definition);
  const errors = definition.validateCreate(object);
  // These complaints never name the kind: to Kubernetes the question has none.
  if (errors.length > 0) throw invalid('', definition.group, '', errors);
  await admitBody(core, call, definition, object, dryRun);
  const { authorizer, checkToken } = core;
  const answered = await answer(object, { user: request.user, authorizer, checkToken, nowMs: core.clock.now() });
  return objectAnswer(core, call, 201, { object: answered, json: JSON.stringify(answered) });
}
