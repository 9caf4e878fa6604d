import { noCache } from '../answers.js';
import { clausesOf } from '../negotiate.js';
import type { ApiAnswer, ApiRequest } from '../request.js';

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * Answers `/openapi/v2`: a document without definitions, in the form that kubectl asks for.
 *
 * kubectl reads it before it applies a `List`, and leaves the checking of kinds
 * it does not find there to the server. Clients that take JSON get the whole document.
 */
export function emptyV2Document({ headers }: ApiRequest, version: string): ApiAnswer | undefined {
  const wanted = clausesOf(headers.accept ?? '').some(({ type }) =>
    type.startsWith('application/com.github.proto-openapi'),
  );
  if (!wanted) return undefined;
  // swagger = 1, info = 2 { title = 1, version = 2 }; every length fits into one byte of ASCII.
  const info = `${text(1, 'Kubernetes')}${text(2, version)}`;
  return {
    status: 200,
    headers: { 'content-type': protobuf, 'cache-control': noCache },
    payload: { kind: 'text', text: `${text(1, '2.0')}${text(2, info)}` },
  };
}

function text(field: number, content: string): string {
  return String.fromCharCode((field << 3) | 2, content.length) + content;
}
