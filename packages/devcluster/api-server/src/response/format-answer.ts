import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { encodeAnswer } from '@slipway/api-machinery/schema/encode-protobuf';
import { clausesOf, formatNames, negotiate, protobuf } from '../request/negotiate.js';
import type { Query } from '../request/query.js';
import type { ApiAnswer, ApiRequest, JsonPayload } from '../request/request.js';
import { prettyJson } from './pretty-json.js';
import { writingYaml } from './write-yaml.js';

/** Formats a JSON answer as the client requested: YAML, protobuf, or indented. Other answers are returned unchanged. */
export function* formatAnswer(answer: ApiAnswer, request: ApiRequest, query: Query): Resumable<ApiAnswer> {
  if (answer.payload?.kind !== 'json' || answer.headers['content-type']?.startsWith('text/plain')) return answer;
  const { accept, 'user-agent': agent = '' } = request.headers;
  if (accept?.includes('yaml') && formatOf(accept) === 'yaml') {
    const text = yield* writingYaml(yield* documentOf(answer.payload.json));
    const headers = { ...answer.headers, 'content-type': 'application/yaml' };
    return { ...answer, headers, payload: { kind: 'text', text } };
  }
  if (accept?.includes('protobuf') && prefersProtobuf(accept)) {
    const bytes = encodeAnswer(answer.payload.json.made);
    if (bytes)
      return { ...answer, headers: { ...answer.headers, 'content-type': protobuf }, payload: { kind: 'bytes', bytes } };
  }
  if (!isPretty(query.get('pretty'), accept, agent)) return answer;
  const text = yield* prettyJson(yield* documentOf(answer.payload.json));
  return { ...answer, payload: { kind: 'text', text } };
}

function* documentOf(document: JsonPayload): Resumable<unknown> {
  return document.reading ? yield* document.reading() : document.value();
}

/** Whether protobuf comes before the other forms that answers have. */
function prefersProtobuf(accept: string): boolean {
  const first = clausesOf(accept).find(({ type }) => type === protobuf || formatNames.has(type));
  return first?.type === protobuf && first.parameters.as === undefined;
}

function isPretty(asked: string | undefined, accept: string | undefined, agent: string): boolean {
  if (asked !== undefined) return asked !== 'false' && asked !== '0';
  if (accept?.includes('pretty=1')) return true;
  return /^(curl|Wget|Mozilla\/5\.0)/.test(agent);
}

/** What an answer that could not be negotiated comes in: JSON. */
function formatOf(accept: string): 'json' | 'yaml' {
  try {
    return negotiate(accept).format;
  } catch {
    return 'json';
  }
}
