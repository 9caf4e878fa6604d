import { methodNotSupported } from '@slipway/api-machinery/errors/status-errors';
import type { Call, Core } from '../core/core.js';
import { objectAnswer } from '../core/represent.js';
import { copyJson } from '../request/json-copy.js';
import type { ApiAnswer } from '../request/request.js';
import { readWriteOptions } from '../request/write-options.js';
import { decodeObject } from '../write/body.js';
import { ownersOfChanged } from '../write/owners.js';
import { updateObject } from '../write/update-object.js';
import { matchName } from '../write/write-guards.js';

/** PUT of a namespace whose spec.finalizers got shorter; nothing else of it is looked at. */
export async function finalize(core: Core, call: Call): Promise<ApiAnswer> {
  if (call.request.method !== 'PUT') throw methodNotSupported(call.definition, call.request.method.toLowerCase());
  const options = readWriteOptions(call.query, 'UpdateOptions');
  const { body, headers } = call.request;
  const decoded = decodeObject(call.definition, body, headers['content-type'], options.fieldValidation);
  matchName(call, decoded.object);
  const served = await updateObject(core, call, {
    make: (old) => {
      const object = copyJson(old);
      const { resourceVersion } = decoded.object.metadata;
      if (resourceVersion) object.metadata.resourceVersion = resourceVersion;
      object.spec = { ...object.spec, finalizers: decoded.object.spec?.finalizers ?? [] };
      return object;
    },
    owners: (object, old, { finish }) => finish(ownersOfChanged(core, call, object, old, options.fieldManager)),
    dryRun: options.dryRun,
    mayOmitVersion: true,
    uidIsPrecondition: true,
  });
  return objectAnswer(core, call, 200, served, decoded.warnings);
}
