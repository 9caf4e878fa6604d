import { goQuoted } from '@slipway/api-machinery/errors/go-quoted';
import { celType } from '../values/cel-type.js';
import { fail } from '../values/failure.js';
import { List, MapValue, Opaque, type Value } from '../values/values.js';
import { type Overload, overload, traversal } from './overload.js';

/** What of an address expressions can ask for. */
interface ParsedUrl {
  readonly scheme: string;
  /** With its port, decoded. */
  readonly host: string;
  /** Encoded. */
  readonly path: string;
  readonly query: string;
}

const urlType = celType('kubernetes.URL');
const held = (value: Value | undefined) => (value as Opaque).held as ParsedUrl;
const part = (name: string, read: (url: ParsedUrl) => string): Overload =>
  overload(name, 'kubernetes.URL.(): string', ([value]) => read(held(value)));

/** Absolute URLs and absolute paths, as Go's `url.ParseRequestURI` reads them. */
export const urls = (): readonly Overload[] => [
  overload('url', '(string): kubernetes.URL', ([text]) => toUrl(text as string), {
    cost: ({ of: [length = 0] }) => traversal(length),
    resultSize: ({ of: [length = 0] }) => length,
  }),
  overload('isURL', '(string): bool', ([text]) => toUrl(text as string) instanceof Opaque),
  part('getScheme', ({ scheme }) => scheme),
  part('getHost', ({ host }) => host),
  part('getHostname', ({ host }) => splitHost(host).name.replace(/^\[(.*)\]$/, '$1')),
  part('getPort', ({ host }) => splitHost(host).port),
  part('getEscapedPath', ({ path }) => path),
  overload('getQuery', 'kubernetes.URL.(): map(string, list(string))', ([value]) => queryOf(held(value).query)),
];

function toUrl(text: string): Value {
  const request = parseUrl(text);
  // Kubernetes reads it twice: the second time a fragment is none of what it looks at.
  const read = typeof request === 'string' ? request : parseUrl(text.replace(/#.*/s, ''), false);
  if (typeof read !== 'string') return new Opaque(urlType, read);
  return fail(`URL parse error during conversion from string: ${read}`);
}

/** Reads an address; a text says why it is none. @param isRequest whether two slashes at the beginning are a path */
export function parseUrl(text: string, isRequest = true): ParsedUrl | string {
  const refuse = (why: string) => `parse ${goQuoted(text)}: ${why}`;
  if ([...text].some((letter) => letter < ' ' || letter === '\x7f'))
    return refuse('net/url: invalid control character in URL');
  if (text === '') return refuse('empty url');
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' };
  if (text.startsWith(':')) return refuse('missing protocol scheme');
  const given = /^([A-Za-z][-+.A-Za-z0-9]*):/.exec(text)?.[1];
  const scheme = (given ?? '').toLowerCase();
  const [, rest = '', query = ''] =
    /^([^?]*)\??(.*)$/s.exec(text.slice(given === undefined ? 0 : given.length + 1)) ?? [];
  if (!rest.startsWith('/'))
    return scheme === '' ? refuse('invalid URI for request') : { scheme, host: '', path: '', query };
  const hasHost = rest.startsWith('//') && (scheme !== '' || !(isRequest || rest.startsWith('///')));
  const [, authority = '', path = ''] = hasHost ? (/^\/\/([^/]*)(.*)$/s.exec(rest) ?? []) : ['', '', rest];
  const host = hostOf(authority);
  const problem = host.problem ?? escapeProblem(path);
  return problem === undefined ? { scheme, host: host.text, path: encoded(path), query } : refuse(problem);
}

function hostOf(authority: string): { readonly text: string; readonly problem?: string } {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : authority.slice(0, at);
  const host = authority.slice(at + 1);
  const problem =
    hostProblem(host) ?? (/^[-\w.:~!$&'()*+,;=%@]*$/.test(user) ? undefined : 'net/url: invalid userinfo');
  const problemOfUser = problem ?? escapeProblem(user);
  if (problemOfUser !== undefined) return { text: host, problem: problemOfUser };
  return { text: host.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, decoded) };
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) return "missing ']' in host";
    return portProblem(host.slice(end + 1));
  }
  const colon = host.lastIndexOf(':');
  const port = colon < 0 ? undefined : portProblem(host.slice(colon));
  return port ?? escapeProblem(host) ?? letterProblem(host);
}

function portProblem(port: string): string | undefined {
  return /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${goQuoted(port)} after host`;
}

function letterProblem(host: string): string | undefined {
  const [odd] = /[^-\w.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host) ?? [];
  return odd === undefined ? undefined : `invalid character ${goQuoted(odd)} in host name`;
}

function escapeProblem(text: string): string | undefined {
  const [odd] = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text) ?? [];
  return odd === undefined ? undefined : `invalid URL escape ${goQuoted(odd)}`;
}

function decoded(escapes: string): string {
  return Buffer.from(escapes.replaceAll('%', ''), 'hex').toString();
}

/** A path keeps how it was encoded; what should have been and was not is encoded now. */
function encoded(path: string): string {
  if (/^[-\w.~!$&'()*+,;=:@[\]/%]*$/.test(path)) return path;
  const plain = Buffer.from(path.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, decoded));
  return [...plain]
    .map((byte) => (/[-\w.~$&+,/:;=@]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : escapeOf(byte)))
    .join('');
}

function escapeOf(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function splitHost(host: string): { readonly name: string; readonly port: string } {
  const [, name = host, port = ''] = /^(.*):(\d*)$/s.exec(host) ?? [];
  return { name, port };
}

/** The values of each name of a query, in order; pairs that cannot be read are left out. */
function queryOf(query: string): MapValue {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || escapeProblem(pair) !== undefined) continue;
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const [key, text] = [name, value].map((each) =>
      each.replaceAll('+', ' ').replaceAll(/(?:%[0-9a-fA-F]{2})+/g, decoded),
    );
    values.set(key ?? '', [...(values.get(key ?? '') ?? []), text ?? '']);
  }
  return new MapValue([...values].map(([name, all]) => [name, new List(all)] as const));
}
