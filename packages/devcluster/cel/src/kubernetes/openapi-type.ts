import * as types from '../values/cel-type.js';
import { escapeField } from '../values/field-names.js';

/** A schema of an OpenAPI v3 document, as far as types of expressions follow from it. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** The schemas of a document by name. */
export type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>;

/** The type of objects that a document describes under a name; dyn where it says nothing. */
export function openapiType(schemas: OpenApiSchemas, name: string): types.CelType {
  return new Reader(schemas).named(name);
}

const prefix = '#/components/schemas/';

class Reader {
  readonly #schemas: OpenApiSchemas;
  readonly #known = new Map<string, types.CelType>();

  constructor(schemas: OpenApiSchemas) {
    this.#schemas = schemas;
  }

  named(name: string): types.CelType {
    const known = this.#known.get(name);
    if (known) return known;
    const schema = Object.hasOwn(this.#schemas, name) ? this.#schemas[name] : undefined;
    if (!schema) return types.dyn;
    // Schemas that contain themselves end there.
    this.#known.set(name, types.dyn);
    const type = this.#typeOf(schema);
    this.#known.set(name, type);
    return type;
  }

  #typeOf(schema: OpenApiSchema): types.CelType {
    const [only, ...others] = schema.allOf ?? [];
    if (schema.$ref !== undefined) return this.named(schema.$ref.slice(prefix.length));
    if (schema.type === undefined && only && others.length === 0) return this.#typeOf(only);
    if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return types.dyn;
    switch (schema.type) {
      case 'array':
        return types.listOf(schema.items ? this.#typeOf(schema.items) : types.dyn);
      case 'object':
        return this.#objectType(schema);
      case 'string':
        return formats[schema.format ?? ''] ?? types.string;
      case 'boolean':
        return types.bool;
      case 'integer':
        return types.int;
      case 'number':
        return types.double;
      default:
        // A quantity is a text, although it may be given as a number.
        return schema.oneOf?.some(({ type }) => type === 'string') ? types.string : types.dyn;
    }
  }

  #objectType({ properties, additionalProperties, ...schema }: OpenApiSchema): types.CelType {
    if (typeof additionalProperties === 'object') return types.mapOf(types.string, this.#typeOf(additionalProperties));
    if (!properties || schema['x-kubernetes-preserve-unknown-fields']) return types.dyn;
    const fields = new Map<string, types.CelType>();
    for (const [name, property] of Object.entries(properties)) {
      const escaped = escapeField(name);
      if (escaped !== undefined) fields.set(escaped, this.#typeOf(property));
    }
    return { name: 'object', params: [], fields };
  }
}

const formats: Readonly<Record<string, types.CelType | undefined>> = {
  byte: types.bytes,
  duration: types.duration,
  date: types.timestamp,
  'date-time': types.timestamp,
};
