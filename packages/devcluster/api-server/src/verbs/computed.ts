import { methodNotAllowed, methodNotSupported, notFound } from '@slipway/api-machinery/errors/status-errors';
import type { KubeObject } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import { listAnswer, objectAnswer } from '../core/represent.js';
import type { ApiAnswer } from '../request/request.js';
import type { Served } from '../response/payloads.js';
import { readListQuery } from './list.js';

/** GET of objects that are not stored but worked out for each request. */
export function computed(core: Core, call: Call, compute: NonNullable<Call['definition']['computed']>): ApiAnswer {
  const { method } = call.request;
  if (call.query.flag('watch')) throw methodNotSupported(call.definition, 'watch');
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
  const all = compute(core.store, call.namespace, core.clock.now());
  if (call.name !== '') {
    const found = all.find(({ metadata }) => metadata.name === call.name);
    if (!found) throw notFound(call.definition, call.name);
    return objectAnswer(core, call, 200, served(found));
  }
  const { matches = () => true } = readListQuery(call, false).selection;
  return listAnswer(core, call, all.filter(matches).map(served), { resourceVersion: '' });
}

function served(object: KubeObject): Served {
  return { object, json: JSON.stringify(object) };
}
