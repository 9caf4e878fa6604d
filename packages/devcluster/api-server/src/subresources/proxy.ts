import { serviceUnavailable } from '@slipway/api-machinery/errors/status-errors';
import type { Call, Core } from '../core/core.js';
import type { ApiAnswer } from '../request/request.js';
import { forward } from '../streaming/proxy-forward.js';
import { nodePage } from './node-pages.js';
import { podTarget, serviceTarget } from './proxy-target.js';

/** Passes a request on to what listens behind a pod, a service or a node. */
export async function proxy(core: Core, call: Call): Promise<ApiAnswer> {
  const { request, definition } = call;
  const { before, path, search } = splitAtProxy(request.path);
  if (definition.plural === 'nodes') return nodePage(core, call, path) ?? toRoot(before, search);
  const target = definition.plural === 'pods' ? podTarget(core, call) : serviceTarget(core, call);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (path === '' && isRead && request.headers.upgrade === undefined) return toRoot(before, search);
  const { pod, port, scheme, host } = target;
  try {
    const socket = await core.nodes.connect(pod, port, scheme === 'https' ? 'tls' : 'tcp');
    return await forward(request, { socket, host, before, path: (path || '/') + search });
  } catch (error) {
    const why = (error as Error).name === 'ConnectionRefusedError' ? `dial tcp ${host}: connect: ` : '';
    throw serviceUnavailable(`error trying to reach service: ${why}${(error as Error).message}`);
  }
}

/** Links of a page are relative to its folder. */
function toRoot(before: string, search: string): ApiAnswer {
  return { status: 301, headers: { location: `${before}/${search}` } };
}

/** A path and query as on the wire: as far as the proxy, behind it, and what is asked. */
function splitAtProxy(target: string): { readonly before: string; readonly path: string; readonly search: string } {
  const [, before = '', path = '', search = ''] =
    /^([^?]*?\/[^/?]+\/[^/?]+\/proxy)(?=[/?]|$)([^?]*)(\?.*)?$/.exec(target) ?? [];
  return { before, path, search };
}
