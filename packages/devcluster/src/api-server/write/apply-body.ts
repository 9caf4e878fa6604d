import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { JsonError } from '@slipway/api-machinery/schema/json-scanner';
import { apiVersionOf } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { ApiRequest } from '../request/request.js';
import { copyBody } from './json-copy.js';
import { readYaml } from './yaml-body.js';

/** The body of an apply: what its sender wants an object to be. */
export interface ConfigurationBody {
  readonly config: Readonly<Record<string, unknown>>;
  /** What strict reading would refuse. */
  readonly problems: readonly string[];
}

/**
 * Reads the body of an apply, JSON or YAML.
 *
 * @throws StatusError BadRequest when the body is not an object of the resource, or sets managedFields.
 */
export function readConfiguration(definition: ResourceDefinition, body: ApiRequest['body']): ConfigurationBody {
  const { value, problems } = readDocument(body);
  const config = isJsonObject(value) ? value : {};
  requireKind(definition, config);
  const metadata = isJsonObject(config.metadata) ? config.metadata : {};
  if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  return { config, problems };
}

function readDocument(body: ApiRequest['body']) {
  if (body && 'value' in body) return { value: copyBody(body), problems: [] };
  try {
    const bytes = body?.bytes ?? new Uint8Array();
    const { value, problems } = readYaml(bytes);
    if (value === null || isJsonObject(value)) return { value, problems: problems.map(inYaml) };
    throw new JsonError(
      'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal into Go value of type map[string]interface {}',
    );
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw badRequest(`error decoding YAML: ${error.message}`);
  }
}

/** Where the complaint comes from, as the real server says it. */
function inYaml(problem: string): string {
  return `error converting YAML to JSON: ${problem}`;
}

function requireKind(
  definition: ResourceDefinition,
  { apiVersion = '', kind = '' }: Readonly<Record<string, unknown>>,
): void {
  if (apiVersion === apiVersionOf(definition) && kind === definition.kind) return;
  throw badRequest(`invalid object type: ${kindText(String(apiVersion), String(kind))}`);
}

/** `apps/v1, Kind=Deployment`; the core group is written as an empty one. */
export function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
