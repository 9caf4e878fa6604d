import { firstThatFit } from '@slipway/api-machinery/errors/field-errors';
import { badRequest, invalid, statusError } from '@slipway/api-machinery/errors/status-errors';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { JsonError, namePlaces } from '@slipway/api-machinery/schema/json-scanner';
import { apiVersionOf, type KubeObject, type StatusError, stringifyJson } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { copyBody } from '../request/json-copy.js';
import { protobuf } from '../request/negotiate.js';
import type { RequestBody } from '../request/request.js';
import type { FieldValidation } from '../request/write-options.js';
import { readJsonBody } from './large-json.js';
import { requireBuiltInKind } from './require-kind.js';
import { readYaml } from './yaml-body.js';

/** A body as JSON, with what its text said that the value cannot show. */
export interface Document {
  readonly value: unknown;
  /** What strict decoding has against the text: `duplicate field "spec.a"`. */
  readonly problems: readonly string[];
  /** The text, for messages; '' when there was none. */
  readonly text: () => string;
}

/** What a body turned into: the object, and the warnings its sender should see. */
export interface DecodedObject {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

/**
 * Reads the body of a create or update into an object of `definition`: the right
 * kind and version, unknown fields gone, values normalised, defaults filled in.
 * The object belongs to the caller.
 *
 * @throws StatusError UnsupportedMediaType, BadRequest or Invalid.
 */
export function decodeObject(
  definition: ResourceDefinition,
  body: RequestBody | undefined,
  contentType: string | undefined,
  validation: FieldValidation,
): DecodedObject {
  return runToCompletion(decodingObject(definition, body, contentType, validation));
}

/** As `decodeObject`, and yields between its steps. */
export function* decodingObject(
  definition: ResourceDefinition,
  body: RequestBody | undefined,
  contentType: string | undefined,
  validation: FieldValidation,
): Resumable<DecodedObject> {
  const { object, problems, text } = readObject(definition, body, contentType);
  yield;
  return yield* admittingObject(definition, object, problems, validation, text);
}

/** Reads the body of a create or update, which is of the right kind and version and otherwise as it was sent. */
function readObject(
  definition: ResourceDefinition,
  body: RequestBody | undefined,
  contentType: string | undefined,
): { readonly object: KubeObject; readonly problems: readonly string[]; readonly text?: () => string } {
  const type = mediaTypeOf(contentType);
  if (type === protobuf) {
    if (!definition.schema.decodeProtobuf) throw unsupportedMediaType(objectMediaTypes);
    if (!body || !('bytes' in body)) throw badRequest('a protobuf body must be bytes');
    const object = definition.schema.decodeProtobuf(body.bytes);
    requireKind(definition, object);
    return { object, problems: [] };
  }
  if (type !== 'application/json' && type !== 'application/yaml') throw unsupportedMediaType(objectMediaTypes);
  const document = readDocument(body, type, definition.kind);
  const object = requireObject(definition, document);
  requireKind(definition, object);
  // A built-in kind is decoded in one pass, which reports problems where it meets them; of YAML only what becomes of it.
  const isOnePass = type === 'application/json' && definition.origin !== 'custom';
  return { object, problems: document.problems, ...(isOnePass && { text: document.text }) };
}

/**
 * Brings an object that was made by a patch, or decoded, to the form that is
 * stored, in place. Problems with its fields, and those
 * that its text was `found` to have, become warnings or a refusal.
 *
 * @param text the JSON text, where problems are reported in its order
 * @throws StatusError BadRequest.
 */
export function* admittingObject(
  definition: ResourceDefinition,
  object: KubeObject,
  found: readonly string[],
  validation: FieldValidation,
  text?: () => string,
): Resumable<DecodedObject> {
  const { unknown } = definition.schema.admit(object);
  const all = validation === 'Ignore' ? [] : [...found, ...unknownFields(unknown)];
  const problems = text && found.length > 0 && unknown.length > 0 ? inOrderOf(text(), all) : all;
  if (validation === 'Strict' && problems.length > 0) {
    throw cannotBeHandled(definition, `strict decoding error: ${problems.join(', ')}`);
  }
  if (typeof object.metadata !== 'object' || object.metadata === null) object.metadata = {};
  yield;
  definition.applyDefaults(object);
  return { object, warnings: problems };
}

/** Fields given twice, as strict decoding reports them. */
export function duplicateFields(paths: readonly string[]): string[] {
  return firstThatFit(paths, lengthOf).map((path) => `duplicate field "${path}"`);
}

/** Fields that a kind does not have, as strict decoding reports them. */
export function unknownFields(paths: readonly string[]): string[] {
  return firstThatFit(paths, lengthOf).map((path) => `unknown field "${path}"`);
}

/** Of a longer text the order of its problems is not looked for: paths may be as long as it, and as many. In characters. */
const longestOrdered = 64 * 1024;

/** Problems in the order of the names that they are about. */
function inOrderOf(text: string, problems: readonly string[]): readonly string[] {
  if (text.length > longestOrdered) return problems;
  const places = namePlaces(text);
  const placeOf = (problem: string) => places.get(problem.slice(problem.indexOf('"') + 1, -1)) ?? 0;
  return [...problems].sort((a, b) => placeOf(a) - placeOf(b));
}

function lengthOf({ length }: string): number {
  return length;
}

/** 400 in the words of the decoder. */
export function cannotBeHandled(definition: Pick<ResourceDefinition, 'kind' | 'version'>, why: string): StatusError {
  const version = JSON.stringify(definition.version);
  return badRequest(`${definition.kind} in version ${version} cannot be handled as a ${definition.kind}: ${why}`);
}

/**
 * Reads JSON or YAML of any shape. A value handed over in process is copied.
 *
 * @throws StatusError BadRequest, or what `refusal` makes of the reason, when it is neither.
 */
export function readDocument(
  body: RequestBody | undefined,
  type: string,
  kind: string,
  refusal?: (why: string) => StatusError,
): Document {
  if (body && 'value' in body) {
    return { value: copyBody(body), problems: [], text: () => stringifyJson(body.value) };
  }
  const bytes = body?.bytes ?? new Uint8Array();
  const text = () => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  try {
    if (type === 'application/yaml') return { ...readYaml(bytes), text };
    const { value, duplicates } = readJsonBody(bytes);
    return { value, problems: duplicateFields(duplicates), text };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (refusal) throw refusal(error.message);
    throw unrecognized(kind, `couldn't get version/kind; json parse error: ${error.message}`, bytes);
  }
}

/** The type of a Content-Type header without its parameters; JSON when there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType === '') return 'application/json';
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** 415 with what would be accepted. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return statusError(415, 'UnsupportedMediaType', message);
}

export const objectMediaTypes: readonly string[] = ['application/json', 'application/yaml', protobuf];

/** Returns the error of Go about a document that is not an object. */
export function notAnObject(value: unknown): string {
  return `json: cannot unmarshal ${jsonShape(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

/** The JSON type of a value as Go names it. */
export function jsonShape(value: unknown): string {
  return Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'bigint'
        ? 'number'
        : typeof value;
}

function requireObject(definition: ResourceDefinition, { value, text }: Document): KubeObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const why = `couldn't get version/kind; json parse error: ${notAnObject(value)}`;
    if (value !== null) throw unrecognized(definition.kind, why, Buffer.from(text()));
  }
  const object = Object(value) as KubeObject;
  // A typed decoder takes what is missing from the path; an unstructured one has nothing to go by.
  const problem = typeProblem(object);
  if (problem !== undefined) throw unrecognized(definition.kind, problem, Buffer.from(text()));
  if (definition.origin === 'built-in') {
    object.apiVersion ||= apiVersionOf(definition);
    object.kind ||= definition.kind;
  }
  if (typeof object.kind !== 'string' || object.kind === '') {
    const sent = text();
    throw unrecognized(definition.kind, `Object 'Kind' is missing in '${sent}'`, Buffer.from(sent));
  }
  return object;
}

/** Returns the error about an apiVersion or kind that cannot be read; undefined when both can. */
export function typeProblem({ apiVersion, kind }: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, value] of Object.entries({ apiVersion, kind })) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    const why = `json: cannot unmarshal ${jsonShape(value)} into Go struct field .${name} of type string`;
    return `couldn't get version/kind; json parse error: ${why}`;
  }
  const isReadable = typeof apiVersion !== 'string' || apiVersion.split('/').length <= 2;
  return isReadable ? undefined : `unexpected GroupVersion string: ${apiVersion}`;
}

function requireVersion(definition: ResourceDefinition, object: KubeObject): void {
  const expected = apiVersionOf(definition);
  const given = typeof object.apiVersion === 'string' ? object.apiVersion : '';
  if (given === expected) return;
  throw badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`);
}

/** Custom resources find a wrong kind only when they validate: `requireOwnKind`. */
function requireKind(definition: ResourceDefinition, object: KubeObject): void {
  if (definition.origin === 'built-in') {
    requireBuiltInKind(definition, object);
    return;
  }
  requireVersion(definition, object);
  // A list is told apart by its items, and has no fields that could be unknown.
  if (Array.isArray(object.items)) requireOwnKind(definition, object);
}

/** @throws StatusError Invalid for a custom object that calls itself something else; its place is looked at before. */
export function requireOwnKind(definition: ResourceDefinition, object: KubeObject): void {
  if (definition.origin === 'custom' && object.kind !== definition.kind) throw wrongKind(definition, object);
}

/** 422 for a custom object that calls itself something else. */
export function wrongKind(definition: ResourceDefinition, object: KubeObject): StatusError {
  const name = typeof object.metadata?.name === 'string' ? object.metadata.name : '';
  return invalid(object.kind, definition.group, name, [
    { type: 'Invalid', field: 'kind', value: object.kind, detail: `must be ${definition.kind}` },
  ]);
}

function unrecognized(kind: string, why: string, bytes: Uint8Array): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`);
}

/** The beginning of a body, as text when it looks like JSON. */
function summary(bytes: Uint8Array): string {
  const limit = 30;
  if (bytes.length === 0) return '<empty>';
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, limit));
  const more = bytes.length > limit ? ' ...' : '';
  return `${bytes[0] === 0x7b ? head.toString() : head.toString('hex')}${more}`;
}
