import type { Call, Core } from '../core.js';
import { objectAnswer } from '../represent.js';
import type { ApiAnswer } from '../request.js';
import { decodeObject } from '../write/body.js';
import { objectWarnings } from '../write/object-warnings.js';
import { updateObject } from '../write/update-object.js';
import { matchName, matchNamespace } from '../write/write-guards.js';
import { readWriteOptions } from '../write-options.js';

/** PUT of an object, or of its status. */
export async function update(core: Core, call: Call): Promise<ApiAnswer> {
  const options = readWriteOptions(call.query, 'UpdateOptions');
  const { body, headers } = call.request;
  const decoded = decodeObject(call.definition, body, headers['content-type'], options.fieldValidation);
  const { object } = decoded;
  let { warnings } = decoded;
  matchName(call, object);
  matchNamespace(call, object);
  const served = await updateObject(core, call, {
    make: (old) => {
      warnings = [...warnings, ...objectWarnings(call.definition, object, old)];
      return object;
    },
    dryRun: options.dryRun,
    mayOmitVersion: false,
    uidIsPrecondition: true,
  });
  return objectAnswer(core, call, 200, served, warnings);
}
