import type { KubeObject } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import { objectAnswer } from '../core/represent.js';
import type { ApiAnswer } from '../request/request.js';
import { readWriteOptions } from '../request/write-options.js';
import { type DecodedObject, decodeObject } from '../write/body.js';
import { objectWarnings } from '../write/object-warnings.js';
import { ownersOfChanged } from '../write/owners.js';
import { paceOf } from '../write/pace.js';
import { updateObject } from '../write/update-object.js';
import { matchName, matchNamespace } from '../write/write-guards.js';

/** PUT of an object, or of its status. */
export async function update(core: Core, call: Call): Promise<ApiAnswer> {
  const options = readWriteOptions(call.query, 'UpdateOptions');
  const { body, headers } = call.request;
  const read = () => {
    const decoded = decodeObject(call.definition, body, headers['content-type'], options.fieldValidation);
    for (const text of decoded.warnings) call.warn(text);
    matchName(call, decoded.object);
    matchNamespace(call, decoded.object);
    return decoded;
  };
  const { definition, namespace, name } = call;
  const reading = paceOf(call, core.store.latest(definition.storedAs, namespace, name)).rest();
  if (reading) await reading;
  let next: DecodedObject | undefined = read();
  let warnings: readonly string[] = [];
  const made = function* (old: KubeObject) {
    const decoded = next ?? read();
    next = undefined;
    warnings = yield* objectWarnings(call.definition, decoded.object, old);
    return decoded.object;
  };
  const served = await updateObject(core, call, {
    make: (old, { finish }) => finish(made(old)),
    owners: (object, old, { finish }) => finish(ownersOfChanged(core, call, object, old, options.fieldManager)),
    dryRun: options.dryRun,
    mayOmitVersion: false,
    uidIsPrecondition: true,
  });
  return objectAnswer(core, call, 200, served, warnings);
}
