import { noSuchPath } from '@slipway/api-machinery/errors/status-errors';
import { listedDefinitions } from '../discovery/aggregator.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ApiAnswer } from '../request/request.js';
import { jsonAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';

/** Answers `/` with every path there is, and with the same list, as 404, whatever is none of them. */
export function root(path: string, definitions: DefinitionRegistry, others: readonly string[]): ApiAnswer {
  if (path === '/version/' || path === '/apis/' || path === '/api/') throw noSuchPath();
  const paths = [...discoveryPaths(definitions), ...openapiPaths, ...others].sort();
  return jsonAnswer(['', '/', '/index.html'].includes(path) ? 200 : 404, valuePayload({ paths }));
}

const openapiPaths = ['/openapi/v2', '/openapi/v3', '/openapi/v3/'];

function discoveryPaths(definitions: DefinitionRegistry): Set<string> {
  const paths = new Set(['/apis', '/apis/']);
  if (definitions.serves('')) paths.add('/api');
  for (const { group, version } of listedDefinitions(definitions)) {
    if (group !== '') paths.add(`/apis/${group}`);
    paths.add(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
  }
  return paths;
}
