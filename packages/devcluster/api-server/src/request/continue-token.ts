import { badRequest } from '@slipway/api-machinery/errors/status-errors';

/** Where a paged list goes on: everything after `start`, as of `revision` (-1 = as of now). */
export interface Continuation {
  readonly revision: number;
  /** Store key after which the page begins: `namespace/name` or `name`. */
  readonly after: string;
}

const version = 'meta.k8s.io/v1';

/**
 * The token of the next page. Its key is relative to what is listed: the name
 * inside one namespace, `namespace/name` across all.
 */
export function encodeContinue(revision: number, key: string): string {
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start: `/${key}\0` })).toString('base64url');
}

/**
 * Reads a token. The key inside is relative, as in `encodeContinue`.
 *
 * @throws StatusError BadRequest for anything that is not a token of ours.
 */
export function decodeContinue(token: string): Continuation {
  const bad = /[^A-Za-z0-9_-]/.exec(token);
  if (bad || token.length % 4 === 1)
    throw refuse(`illegal base64 data at input byte ${bad?.index ?? token.length - 1}`);
  let parsed: unknown;
  const text = Buffer.from(token, 'base64url').toString();
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refuse(`invalid character '${text.at(1) ?? ''}' in literal null (expecting 'u')`);
  }
  const { v, rv, start } = Object(parsed) as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== version) throw refuse(`server does not recognize this encoded version ${v ?? ''}`);
  if (typeof rv !== 'number' || rv === 0) {
    throw refuse(`incorrect encoded start resourceVersion (version ${version})`);
  }
  if (typeof start !== 'string' || start === '') throw refuse(`encoded start key empty (version ${version})`);
  const key = start.startsWith('/') ? start.slice(1) : start;
  if (key.split('/').includes('..')) throw refuse(start);
  return { revision: rv, after: key.endsWith('\0') ? key.slice(0, -1) : key };
}

function refuse(why: string) {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
