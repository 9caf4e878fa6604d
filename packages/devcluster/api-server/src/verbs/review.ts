import { invalid } from '@slipway/api-machinery/errors/status-errors';
import type { Call, Core } from '../core/core.js';
import { objectAnswer } from '../core/represent.js';
import type { AnswerReview } from '../registry/review.js';
import type { ApiAnswer } from '../request/request.js';
import { readWriteOptions } from '../request/write-options.js';
import { decodeObject } from '../write/body.js';
import { matchNamespace } from '../write/write-guards.js';

/** POST of a question: it is answered, and nothing is stored. */
export async function review(core: Core, call: Call, answer: AnswerReview): Promise<ApiAnswer> {
  const { definition, request } = call;
  const { fieldValidation } = readWriteOptions(call.query, 'CreateOptions');
  const { object, warnings } = decodeObject(definition, request.body, request.headers['content-type'], fieldValidation);
  matchNamespace(call, object);
  const errors = definition.validateCreate(object);
  // These complaints never name the kind: to Kubernetes the question has none.
  if (errors.length > 0) throw invalid('', definition.group, '', errors);
  const { authorizer, checkToken } = core;
  const answered = await answer(object, { user: request.user, authorizer, checkToken, nowMs: core.clock.now() });
  return objectAnswer(core, call, 201, { object: answered, json: JSON.stringify(answered) }, warnings);
}
