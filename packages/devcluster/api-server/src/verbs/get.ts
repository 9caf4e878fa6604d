import { notFound } from '@slipway/api-machinery/errors/status-errors';
import type { Call, Core } from '../core/core.js';
import { waitForRevision } from '../core/freshness.js';
import { objectAnswer } from '../core/represent.js';
import type { ApiAnswer } from '../request/request.js';
import { parseAskedVersion, parseReadVersion } from '../request/resource-version.js';

/** Answers one object, at least as new as `resourceVersion` asks. */
export function get(core: Core, call: Call): ApiAnswer | Promise<ApiAnswer> {
  // Kubernetes reads objects that expire past its cache, which words the error otherwise.
  const parse = call.definition.timeToLiveMs === undefined ? parseReadVersion : parseAskedVersion;
  const asked = parse(call.query.get('resourceVersion'));
  if (asked > core.store.revision) return waitForRevision(core, asked).then(() => found(core, call));
  return found(core, call);
}

function found(core: Core, call: Call): ApiAnswer | Promise<ApiAnswer> {
  const { definition } = call;
  const entry = core.store.get(definition.storedAs, call.namespace, call.name);
  if (!entry) throw notFound(definition, call.name);
  const served = core.conversion.read(definition, entry);
  if (served instanceof Promise) return served.then((converted) => objectAnswer(core, call, 200, converted));
  return objectAnswer(core, call, 200, served);
}
