import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import type { Call, Core } from '../core/core.js';
import { objectAnswer } from '../core/represent.js';
import type { ApiAnswer } from '../request/request.js';
import { readWriteOptions } from '../request/write-options.js';
import { pageNotFound } from '../response/answers.js';
import { bind } from '../subresources/binding.js';
import { decodingObject } from '../write/body.js';
import { createObject, servedOf } from '../write/create-object.js';
import { objectWarnings } from '../write/object-warnings.js';
import { ownersOfNew } from '../write/owners.js';
import { paceOf } from '../write/pace.js';
import { removeRepeatedOwners } from '../write/repeated-owners.js';
import { review } from './review.js';

/** POST to a collection. */
export async function create(core: Core, call: Call): Promise<ApiAnswer> {
  const { answer, createsPart } = call.definition;
  if (answer) return review(core, call, answer);
  if (createsPart) return createPart(core, call, createsPart);
  const options = readWriteOptions(call.query, 'CreateOptions');
  const { body, headers } = call.request;
  const decoding = paceOf(call).finish(
    decodingObject(call.definition, body, headers['content-type'], options.fieldValidation),
  );
  const decoded = decoding instanceof Promise ? await decoding : decoding;
  for (const text of decoded.warnings) call.warn(text);
  removeRepeatedOwners(call, decoded.object, 'as sent');
  const pace = paceOf(call, undefined, decoded.object);
  const resting = pace.rest();
  if (resting) await resting;
  const created = await createObject(core, call, decoded.object, {
    dryRun: options.dryRun,
    owners: (object, { finish }) => finish(ownersOfNew(core, call, object, options.fieldManager)),
  });
  const stored = pace.rest();
  if (stored) await stored;
  const served = servedOf(call.definition, created);
  return objectAnswer(core, call, 201, served, runToCompletion(objectWarnings(call, decoded.object)));
}

/** POST of a body that names the object of which it makes a part. */
function createPart(core: Core, call: Call, { plural, subresource }: { plural: string; subresource: string }) {
  const definition = core.definitions.find(call.definition.group, call.definition.version, plural);
  return definition ? bind(core, { ...call, definition, subresource }, call) : pageNotFound();
}
