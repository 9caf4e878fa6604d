import { Query } from './query.js';
import { parseRequestPath, type RequestPath } from './request-path.js';

/** Where a request is sent. */
export interface Address {
  /** Decoded. */
  readonly path: string;
  readonly parts: readonly string[];
  /** What the path names. */
  readonly parsed: RequestPath;
  readonly query: Query;
}

/** Reads path and query as they are on the wire. */
export function addressOf(target: string): Address {
  const mark = target.indexOf('?');
  const encoded = mark < 0 ? target : target.slice(0, mark);
  const path = encoded.includes('%') ? decoded(encoded) : encoded;
  const query = new Query(mark < 0 ? '' : target.slice(mark + 1));
  return { path, parts: path.split('/'), parsed: parseRequestPath(path), query };
}

/** Malformed escapes stay as they are: nothing is named so. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
