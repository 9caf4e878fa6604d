import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { JsonError } from '@slipway/api-machinery/schema/json-scanner';
import { apiVersionOf } from '@slipway/kube';
import { minorOf } from '../registry/minor-version.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { copyBody } from '../request/json-copy.js';
import type { ApiRequest } from '../request/request.js';
import { jsonShape } from './body.js';
import { readYaml } from './yaml-body.js';

/** The body of an apply: what its sender wants an object to be. */
export interface ConfigurationBody {
  readonly config: Readonly<Record<string, unknown>>;
  /** What strict reading would refuse. */
  readonly problems: readonly string[];
}

/** Reads the body of an apply, JSON or YAML, as a server of `version` does. @throws StatusError BadRequest for what is not an object */
export function readConfiguration(body: ApiRequest['body'], version: string): ConfigurationBody {
  const { value, problems } = readDocument(body, version);
  return { config: isJsonObject(value) ? value : {}, problems };
}

/** @throws StatusError BadRequest when a configuration is not one of the resource, or sets managedFields */
export function requireConfiguration(definition: ResourceDefinition, { config }: ConfigurationBody): void {
  requireKind(definition, config);
  const metadata = isJsonObject(config.metadata) ? config.metadata : {};
  if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
}

function readDocument(body: ApiRequest['body'], version: string) {
  if (body && 'value' in body) return { value: copyBody(body), problems: [] };
  const isOlder = minorOf(version) < 37;
  const { value, problems } = readText(body?.bytes ?? new Uint8Array(), isOlder);
  if (value === null || isJsonObject(value)) return { value, problems: problems.map(inYaml) };
  const shape = isOlder ? '' : ` ${jsonShape(value)}`;
  throw badRequest(
    `error decoding ${isOlder ? 'YAML' : 'patch'}: error unmarshaling JSON: while decoding JSON: ` +
      `json: cannot unmarshal${shape} into Go value of type map[string]interface {}`,
  );
}

function readText(bytes: Uint8Array, isOlder: boolean) {
  try {
    return readYaml(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { message } = error;
    throw badRequest(
      isOlder ? `error decoding YAML: ${message}` : `error encoding patch: ${message.replace(yamlPreamble, '')}`,
    );
  }
}

const yamlPreamble = 'error converting YAML to JSON: ';

/** Where the complaint comes from, as the real server says it. */
function inYaml(problem: string): string {
  return `${yamlPreamble}${problem}`;
}

function requireKind(definition: ResourceDefinition, given: Readonly<Record<string, unknown>>): void {
  const [apiVersion, kind] = [given.apiVersion ?? '', given.kind ?? ''];
  if (apiVersion === apiVersionOf(definition) && kind === definition.kind) return;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  throw badRequest(`invalid object type: ${kindText(text(apiVersion), text(kind))}`);
}

/** `apps/v1, Kind=Deployment`; the core group is written as an empty one. */
export function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
