import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { JsonError } from '@slipway/api-machinery/schema/json-scanner';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { apiVersionOf } from '@slipway/kube';
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

/** A document that was read as JSON or YAML, whatever it is. */
interface AnyDocument {
  readonly value: unknown;
  readonly problems: readonly string[];
}

/** Reads the body of an apply, JSON or YAML, as a server of `version` does. @throws StatusError BadRequest for what is neither */
export function readDocument(body: ApiRequest['body'], version: string): AnyDocument {
  if (body && 'value' in body) return { value: copyBody(body), problems: [] };
  const { value, problems } = readText(body?.bytes ?? new Uint8Array(), minorOf(version) < 37);
  return { value, problems: problems.map(inYaml) };
}

/** Returns a document as a configuration. @throws StatusError BadRequest for what is not an object */
export function configurationIn({ value, problems }: AnyDocument, version: string): ConfigurationBody {
  if (isJsonObject(value)) return { config: value, problems };
  if (value === null) return { config: {}, problems };
  const isOlder = minorOf(version) < 37;
  const shape = isOlder ? '' : ` ${jsonShape(value)}`;
  throw badRequest(
    `error decoding ${isOlder ? 'YAML' : 'patch'}: error unmarshaling JSON: while decoding JSON: ` +
      `json: cannot unmarshal${shape} into Go value of type map[string]interface {}`,
  );
}

/** Reads the body of an apply whose object is known to exist. @throws StatusError BadRequest for what is not an object */
export function readConfiguration(body: ApiRequest['body'], version: string): ConfigurationBody {
  return configurationIn(readDocument(body, version), version);
}

/** @throws StatusError BadRequest when a configuration is not one of the resource, or sets managedFields */
export function requireConfiguration(definition: ResourceDefinition, { config }: ConfigurationBody): void {
  requireKind(definition, config);
  const metadata = isJsonObject(config.metadata) ? config.metadata : {};
  if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
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
