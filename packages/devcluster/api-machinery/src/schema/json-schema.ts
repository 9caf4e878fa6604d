/** A schema as `openAPIV3Schema` of a CustomResourceDefinition has it, after it was admitted. */
export interface JsonSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly additionalItems?: JsonSchema | boolean;
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly externalDocs?: unknown;
  readonly example?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly Readonly<Record<string, unknown>>[];
}

/** The fields every object has by itself; schemas do not describe them. */
export const ownFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The schema of a named property, never one inherited from the prototype of objects. */
export function propertySchema(schema: JsonSchema, name: string): JsonSchema | undefined {
  return schema.properties !== undefined && Object.hasOwn(schema.properties, name)
    ? schema.properties[name]
    : undefined;
}

/** The schema of list elements, if there is the one that structural schemas have. */
export function itemSchema(schema: JsonSchema): JsonSchema | undefined {
  return Array.isArray(schema.items) ? undefined : (schema.items as JsonSchema | undefined);
}

/** The schema of values of a map; undefined for `true`, which describes nothing. */
export function valueSchema(schema: JsonSchema): JsonSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** Calls `visit` with every schema in a schema, itself first, and where it is: `.properties.spec`. */
export function visitSchemas(schema: JsonSchema, visit: (schema: JsonSchema, path: string) => void, path = ''): void {
  visit(schema, path);
  const { properties = {} } = schema;
  for (const name of Object.keys(properties)) {
    visitSchemas(properties[name] as JsonSchema, visit, `${path}.properties.${name}`);
  }
  const [items, values] = [itemSchema(schema), valueSchema(schema)];
  if (items) visitSchemas(items, visit, `${path}.items`);
  if (values) visitSchemas(values, visit, `${path}.additionalProperties`);
  if (schema.not) visitSchemas(schema.not, visit, `${path}.not`);
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, inner] of (schema[name] ?? []).entries())
      visitSchemas(inner, visit, `${path}.${name}[${index}]`);
  }
}
