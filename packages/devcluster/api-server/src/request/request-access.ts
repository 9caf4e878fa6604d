import type { Access } from '@slipway/api-machinery/identity/access';
import type { Address } from './address.js';
import type { Query } from './query.js';
import type { ResourcePath } from './request-path.js';

/**
 * Returns the access that a request needs, from its method, path and query. The object
 * need not exist: a client without access must not learn which objects exist.
 */
export function requestAccess(method: string, { path, parsed, query }: Address): Access {
  if (parsed.kind !== 'resource') return { kind: 'path', verb: method.toLowerCase(), path };
  const { group, version, plural, subresource } = parsed.resource;
  const isCollection = (parsed.resource.name ?? '') === '';
  const verb = verbOf(method, isCollection, parsed.resource, query);
  const fieldSelector = isCollection ? query.get('fieldSelector') : undefined;
  return {
    kind: 'resource',
    verb,
    group,
    version,
    resource: plural,
    subresource,
    namespace: namespaceOf(parsed.resource),
    name: isCollection ? nameIn(fieldSelector) : (parsed.resource.name ?? ''),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

function verbOf(method: string, isCollection: boolean, { watchPrefix }: ResourcePath, query: Query): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (watchPrefix) return 'watch';
      if (!isCollection) return 'get';
      return query.flag('watch') ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return isCollection ? 'deletecollection' : 'delete';
    default:
      return '';
  }
}

/** A namespace lies in itself: a role in it can give access to the object it is. */
function namespaceOf({ group, plural, namespace, name = '' }: ResourcePath): string {
  return group === '' && plural === 'namespaces' ? name : namespace;
}

/** Who selects one object by its name asks for that object only, and may be allowed that much. */
function nameIn(fieldSelector: string | undefined): string {
  const match =
    fieldSelector === undefined ? undefined : /(?:^|,)metadata\.name==?([^,=!\\]+)(?:,|$)/.exec(fieldSelector);
  return match?.[1] ?? '';
}
