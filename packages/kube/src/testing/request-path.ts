/** What a request path names. */
export interface RequestPath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** Reads `/apis/apps/v1/namespaces/a/deployments/b/status?x=y`; undefined when it is not a path to a resource. */
export function parseRequestPath(path: string): RequestPath | undefined {
  const [location = '', search = ''] = path.split('?', 2);
  const parts = location.split('/').filter(Boolean).map(decodeURIComponent);
  const group = parts[0] === 'api' ? '' : parts[1];
  const [version, ...rest] = parts.slice(parts[0] === 'api' ? 1 : 2);
  if ((parts[0] !== 'api' && parts[0] !== 'apis') || group === undefined || version === undefined) return undefined;
  const isInNamespace = rest[0] === 'namespaces' && rest[2] !== undefined && !ofNamespaces.has(rest[2]);
  const [plural, name, subresource] = isInNamespace ? rest.slice(2) : rest;
  if (plural === undefined) return undefined;
  const namespace = isInNamespace ? (rest[1] ?? '') : '';
  return { group, version, plural, namespace, name, subresource, query: new URLSearchParams(search) };
}

/** Subresources of namespaces themselves. */
const ofNamespaces: ReadonlySet<string> = new Set(['status', 'finalize']);

/** A resource as errors and the catalogue name it: `pods`, `deployments.apps`. */
export function resourceOf({ group, plural }: { group: string; plural: string }): string {
  return group ? `${plural}.${group}` : plural;
}
