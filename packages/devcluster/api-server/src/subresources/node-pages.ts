import { methodNotSupported, notFound, serviceUnavailable } from '@slipway/api-machinery/errors/status-errors';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Call, Core } from '../core/core.js';
import type { ApiAnswer } from '../request/request.js';
import { jsonAnswer, pageNotFound, textAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { kubeletRefuses } from './container-view.js';
import { named } from './proxy-target.js';

/**
 * Serves the pages of a kubelet's port: `/healthz`, `/pods`, `/metrics`, `/metrics/resource` and `/stats/summary`.
 * Undefined for an empty path: there is nothing that could be meant by it.
 * @throws StatusError NotFound, BadRequest, or ServiceUnavailable when no process listens there
 */
export function nodePage(core: Core, { definition, name: id, request }: Call, path: string): ApiAnswer | undefined {
  const { name, port } = named(id, 'node');
  const node = core.store.get('nodes', '', name)?.object;
  if (!node) throw notFound(definition, name);
  const ofKubelet = String(node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250);
  if (!core.nodes.answers(name) || (port !== '' && port !== ofKubelet)) {
    const refusal = kubeletRefuses(core, name).replace(`:${ofKubelet}:`, `:${port || ofKubelet}:`);
    throw serviceUnavailable(`error trying to reach service: ${refusal}`);
  }
  if (path === '') return undefined;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw methodNotSupported(definition, request.method.toLowerCase());
  return pages[path.replace(/\/$/, '')]?.(core, name) ?? pageNotFound();
}

const pages: Readonly<Record<string, (core: Core, node: string) => ApiAnswer>> = {
  '/healthz': () => textAnswer(200, 'ok'),
  '/pods': (core, node) => {
    const items = podsOn(core, node);
    return jsonAnswer(200, valuePayload({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items }));
  },
  '/metrics': (core, node) => textAnswer(200, core.nodes.metricsOf(node)),
  '/metrics/resource': (core, node) => textAnswer(200, core.nodes.resourceMetrics(podsOn(core, node))),
  '/stats/summary': (core, node) => jsonAnswer(200, valuePayload(core.nodes.statsSummary(node, podsOn(core, node)))),
};

function podsOn({ store }: Core, node: string): readonly Pod[] {
  const all = store.list('pods', {}).entries.map(({ object }) => object as Pod);
  return all.filter(({ spec }) => spec.nodeName === node);
}
