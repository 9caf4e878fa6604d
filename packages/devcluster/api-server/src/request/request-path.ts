/** What a path names. */
export type RequestPath =
  | { readonly kind: 'resource'; readonly resource: ResourcePath }
  /** `/api`, `/apis`, `/apis/GROUP`, `/api/v1`, `/apis/GROUP/VERSION`. */
  | { readonly kind: 'discovery'; readonly group: string | undefined; readonly version: string | undefined }
  | { readonly kind: 'other' };

export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  /** '' when the path has none: cluster-scoped, or all namespaces. */
  readonly namespace: string;
  readonly plural: string;
  /** Undefined for a collection; may be '' when the path has an empty segment there. */
  readonly name: string | undefined;
  readonly subresource: string;
  /** The path has the old `/watch/` prefix. */
  readonly watchPrefix: boolean;
}

/**
 * Reads `/api/v1/namespaces/a/pods/b/status` and its kin. `path` is decoded and
 * has no query. Segments beyond the subresource are part of it: no resource but a
 * proxy has such a one, so they end in 404.
 */
export function parseRequestPath(path: string): RequestPath {
  const parts = path.split('/');
  const [, root, first, second] = parts;
  if (root === 'api') {
    if (first === undefined) return { kind: 'discovery', group: undefined, version: undefined };
    if (first === '') return { kind: 'other' };
    return inVersion('', first, parts, 3);
  }
  if (root !== 'apis') return { kind: 'other' };
  if (first === undefined) return { kind: 'discovery', group: undefined, version: undefined };
  if (first === '') return { kind: 'other' };
  if (second === undefined || (second === '' && parts.length === 4)) {
    return { kind: 'discovery', group: first, version: undefined };
  }
  return inVersion(first, second, parts, 4);
}

function inVersion(group: string, version: string, parts: readonly string[], from: number): RequestPath {
  const count = parts.length;
  if (count === from || (count === from + 1 && parts[from] === '')) return { kind: 'discovery', group, version };
  if (parts[count - 1] === '') return inVersion(group, version, parts.slice(0, -1), from);
  const watchPrefix = parts[from] === 'watch' && count > from + 1;
  let at = watchPrefix ? from + 1 : from;
  let namespace = '';
  // /namespaces/a/pods is about pods in a; /namespaces/a and /namespaces/a/status are about the namespace.
  if (parts[at] === 'namespaces' && count > at + 2 && !isNamespaceSubresource(parts, at)) {
    namespace = parts[at + 1] ?? '';
    at += 2;
  }
  const plural = parts[at];
  if (plural === undefined) return { kind: 'other' };
  const name = parts[at + 1];
  const part = parts[at + 2];
  // What follows a proxy is an address behind it.
  const subresource = part === 'proxy' && group === '' ? part : parts.slice(at + 2).join('/');
  return { kind: 'resource', resource: { group, version, namespace, plural, name, subresource, watchPrefix } };
}

function isNamespaceSubresource(parts: readonly string[], at: number): boolean {
  const third = parts[at + 2];
  return parts.length === at + 3 && (third === 'status' || third === 'finalize');
}
