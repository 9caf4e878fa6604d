import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { fieldDescriptions } from '@slipway/api-machinery/schema/field-descriptions';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { shippedTable } from '@slipway/api-machinery/schema/message-table';
import { definitionName, openapiDefinitions } from '@slipway/api-machinery/schema/openapi-definitions';

/** What names a kind in OpenAPI documents. */
interface Named {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The schema of a custom kind as OpenAPI has it, with the definitions it refers to. */
export function customOpenapi({ group, version, kind }: Named, schema: JsonSchema) {
  const name = [...group.split('.').reverse(), version, kind].join('.');
  const table = shippedTable();
  const metadata = table.message('meta.v1.ObjectMeta');
  const meta = {
    description: fieldDescriptions['*.metadata'],
    allOf: [{ $ref: referTo(definitionName(table, metadata)) }],
  };
  const { properties, ...rest } = asPublished(schema, meta) as Record<string, unknown>;
  const definition = {
    ...rest,
    type: 'object',
    properties: {
      ...(properties as object | undefined),
      ...typeProperties,
      metadata: meta,
    },
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
  };
  return { name, definitions: { [name]: definition, ...openapiDefinitions(table, metadata) } };
}

const typeProperties = {
  apiVersion: { description: fieldDescriptions.apiVersion, type: 'string' },
  kind: { description: fieldDescriptions.kind, type: 'string' },
};

function referTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/**
 * Int-or-string, and what every object has, are spelled out for readers that do not know the extensions.
 * @param metadata the schema of metadata
 */
function asPublished(schema: unknown, metadata: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((one) => asPublished(one, metadata));
  if (!isJsonObject(schema)) return schema;
  const published = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'default' || key === 'enum' ? value : asPublished(value, metadata),
    ]),
  );
  if (schema['x-kubernetes-embedded-resource'] === true) {
    published.properties = { ...typeProperties, metadata, ...Object(published.properties) };
    published.required = [...new Set(['kind', 'apiVersion', ...((published.required as string[] | undefined) ?? [])])];
  }
  if (schema['x-kubernetes-int-or-string'] !== true || spellsOut(schema)) return published;
  const either = [{ type: 'integer' }, { type: 'string' }];
  if (published.anyOf === undefined) return { ...published, anyOf: either };
  return { ...published, allOf: [{ anyOf: either }, ...((published.allOf as unknown[] | undefined) ?? [])] };
}

function spellsOut({ anyOf, allOf }: Record<string, unknown>): boolean {
  const isEither = (list: unknown) => JSON.stringify(list) === '[{"type":"integer"},{"type":"string"}]';
  const first = Array.isArray(allOf) && isJsonObject(allOf[0]) ? allOf[0].anyOf : undefined;
  return isEither(anyOf) || isEither(first);
}
