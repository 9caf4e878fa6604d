import { methodNotAllowed, statusError } from '@slipway/api-machinery/errors/status-errors';
import { type AcceptClause, clausesOf } from '../request/negotiate.js';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import { jsonAnswer, textAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { writeYaml } from '../response/write-yaml.js';

/** A page about the process itself: text for people, an object of config.k8s.io for programs. */
export interface Zpage {
  readonly kind: 'Flagz' | 'Statusz';
  /** What people read below the heading. */
  readonly text: () => string;
  readonly fields: () => Readonly<Record<string, unknown>>;
}

const versions = ['v1alpha1', 'v1beta1'];

/**
 * Answers `/flagz` and `/statusz` (KEP-4828, KEP-4827) in the form that is asked for. The
 * oldest of the forms for programs says that there is a better one.
 * @throws StatusError NotAcceptable or MethodNotAllowed.
 */
export function zpageAnswer(request: ApiRequest, page: Zpage): ApiAnswer {
  const form = formOf(request.headers.accept, page.kind);
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  if (form === 'text') return textAnswer(200, `\napiserver ${page.kind.toLowerCase()}\n${warning}\n${page.text()}`);
  const { type, parameters } = form;
  const { v: version = '' } = parameters;
  const contentType = `${type};g=config.k8s.io;v=${version};as=${page.kind}`;
  const object = {
    kind: page.kind,
    apiVersion: `config.k8s.io/${version}`,
    metadata: { name: 'apiserver' },
    ...page.fields(),
  };
  const outdated = `This version of the ${page.kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`;
  const warnings = version === 'v1alpha1' ? { warnings: [outdated] } : {};
  const answer =
    type === 'application/yaml' ? textAnswer(200, writeYaml(object)) : jsonAnswer(200, valuePayload(object));
  return { ...answer, ...warnings, headers: { ...answer.headers, 'content-type': contentType } };
}

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

function formOf(accept: string | undefined, kind: Zpage['kind']): 'text' | AcceptClause {
  if (accept === undefined || accept === '') return 'text';
  for (const clause of clausesOf(accept)) {
    const { type, parameters } = clause;
    if (['text/plain', 'text/*', '*/*'].includes(type)) return 'text';
    if (type !== 'application/json' && type !== 'application/yaml') continue;
    const { g, v = '', as } = parameters;
    if (g === 'config.k8s.io' && as === kind && versions.includes(v)) return clause;
  }
  const message = 'only the following media types are accepted: application/json, application/yaml, text/plain';
  throw statusError(406, 'NotAcceptable', message);
}
