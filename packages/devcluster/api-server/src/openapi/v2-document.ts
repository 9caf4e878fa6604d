import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { setOwn } from '@slipway/api-machinery/json/json-value';

type Json = Readonly<Record<string, unknown>>;

/** What a document of the third version has that goes into one of the second. */
export interface ThirdVersion {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** Its paths and definitions as OpenAPI 2 writes them, which has one document for all groups. */
export function* asSecondVersion({ paths, components }: ThirdVersion): Resumable<{ paths: Json; definitions: Json }> {
  return {
    paths: yield* mapping(paths, (item) => mapped(item as Json, itemPart)),
    definitions: yield* mapping(components.schemas, definition),
  };
}

/** Paths and definitions between two yields. */
const betweenYields = 20;

/** As `mapped`, and yields. */
function* mapping(values: Json, map: (value: unknown) => unknown): Resumable<Json> {
  const result: Record<string, unknown> = {};
  for (const [index, [name, value]] of Object.entries(values).entries()) {
    if ((index + 1) % betweenYields === 0) yield;
    setOwn(result, name, map(value));
  }
  return result;
}

function itemPart(part: unknown): unknown {
  return Array.isArray(part) ? part.map(parameter) : operation(part as Json);
}

function operation({ parameters = [], requestBody, responses, ...rest }: Json): Json {
  const body = bodyOf(requestBody as Json | undefined);
  const given = [...(body ? [body] : []), ...(parameters as Json[]).map(parameter)];
  return {
    ...rest,
    consumes: requestBody ? typesIn(requestBody as Json) : documents,
    produces: documents,
    schemes: ['https'],
    ...(given.length > 0 ? { parameters: given } : {}),
    responses: mapped(responses as Json, (response) => {
      const { description, content } = response as { description: string; content?: Json };
      return { description, ...(content ? { schema: schemaIn(content) } : {}) };
    }),
  };
}

const documents = ['application/json', 'application/yaml'];

function bodyOf(requestBody: Json | undefined): Json | undefined {
  if (!requestBody) return undefined;
  const { content, required } = requestBody as { content: Json; required?: boolean };
  return { name: 'body', in: 'body', ...(required ? { required } : {}), schema: schemaIn(content) };
}

function typesIn({ content }: Json): string[] {
  return Object.keys(content as Json);
}

/** The schema of a body is the same in each of its media types. */
function schemaIn(content: Json): unknown {
  const [first] = Object.values(content) as { schema: unknown }[];
  return schema(first?.schema);
}

function parameter(given: unknown): Json {
  const { schema: type, ...rest } = given as Json & { schema: Json };
  return { ...rest, ...type };
}

/** Keywords that OpenAPI 2 has not, or that Kubernetes leaves out of it. */
const unknown = new Set(['default', 'nullable', 'anyOf', 'oneOf', 'allOf', 'not']);

/** Clients would refuse what a kind that takes any field does not list: nothing is said of it but its name. */
function definition(given: unknown): unknown {
  const { 'x-kubernetes-group-version-kind': names, 'x-kubernetes-preserve-unknown-fields': takesAny } = Object(given);
  return names && takesAny ? { type: 'object', 'x-kubernetes-group-version-kind': names } : schema(given);
}

/** A schema in the words of OpenAPI 2. What it cannot say is left open, as Kubernetes does. */
function schema(given: unknown): unknown {
  const { $ref, allOf, ...rest } = Object(given) as Json & { $ref?: string; allOf?: readonly Json[] };
  const reference = $ref ?? (allOf?.length === 1 ? (allOf[0]?.$ref as string | undefined) : undefined);
  const said = rest.description === undefined ? {} : { description: rest.description };
  if (reference !== undefined)
    return { ...said, $ref: `#/definitions/${reference.slice(reference.lastIndexOf('/') + 1)}` };
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !unknown.has(name)));
  if (rest.nullable || rest['x-kubernetes-int-or-string'] || rest['x-kubernetes-preserve-unknown-fields']) {
    return Object.fromEntries(Object.entries(kept).filter(([name]) => name === 'description' || name.startsWith('x-')));
  }
  // Quantities and ports are texts or numbers, which has no word here.
  if (rest.oneOf) return { ...kept, type: 'string' };
  return {
    ...kept,
    ...(rest.properties ? { properties: mapped(rest.properties as Json, schema) } : {}),
    ...(rest.items ? { items: schema(rest.items) } : {}),
    ...(isObject(rest.additionalProperties) ? { additionalProperties: schema(rest.additionalProperties) } : {}),
  };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function mapped(values: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
