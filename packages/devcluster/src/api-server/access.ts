import { forbidden, notImplemented, statusError, unauthorized } from '../registry/status-errors.js';
import type { ApiRequest } from './request.js';
import type { RequestPath } from './request-path.js';

const anonymous = 'system:anonymous';

/**
 * Decides who may ask at all. Without RBAC everybody who is known may do everything, and nobody else anything.
 * A client without credentials is told what it may not do; one whose credentials
 * are not believed only that.
 *
 * @throws StatusError Unauthorized or Forbidden.
 */
export function demandUser(request: ApiRequest, path: string, parsed: RequestPath, watching: boolean): void {
  if (request.user) {
    const asks = Object.keys(request.headers).some((name) => name.startsWith('impersonate-'));
    if (asks) throw notImplemented('impersonation');
    return;
  }
  if (request.credentials === 'rejected' || request.headers.authorization !== undefined) throw unauthorized();
  const method = request.method.toLowerCase();
  if (parsed.kind !== 'resource') {
    const verb = method === 'head' ? 'get' : method;
    const message = `forbidden: User "${anonymous}" cannot ${verb} path "${path}"`;
    throw statusError(403, 'Forbidden', message, {});
  }
  const { group, plural, name = '', namespace, subresource, watchPrefix } = parsed.resource;
  const verb = watching || watchPrefix ? 'watch' : verbOf(request.method, name);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = subresource === '' ? plural : `${plural}/${subresource}`;
  throw forbidden(
    parsed.resource,
    name,
    `User "${anonymous}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`,
  );
}

function verbOf(method: string, name: string): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return name === '' ? 'list' : 'get';
  }
}
