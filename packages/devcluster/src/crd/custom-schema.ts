import type { KubeObject } from '@slipway/kube';
import type { FieldError } from '../registry/resource-definition.js';
import { cannotBeHandled } from '../schema/cannot-be-handled.js';
import { TimeError } from '../schema/canonical-time.js';
import type { ObjectSchema } from '../schema/object-schema.js';
import { UnmarshalError } from '../schema/unmarshal-error.js';
import { coerceMetadata } from './coerce-metadata.js';
import { customMergeFacts } from './custom-merge-facts.js';
import { customOpenapi } from './custom-openapi.js';
import { validateEmbeddedResources } from './embedded-resources.js';
import type { JsonSchema } from './json-schema.js';
import { validateListUniqueness } from './list-uniqueness.js';
import { prune } from './prune.js';
import { applySchemaDefaults } from './schema-defaults.js';
import { validateValue } from './validate-value.js';

/** The schema of one version of a custom kind, made from its structural openAPIV3Schema. */
export function customSchema(
  named: { readonly group: string; readonly version: string; readonly kind: string },
  schema: JsonSchema,
): ObjectSchema {
  let openapi: ReturnType<ObjectSchema['openapi']> | undefined;
  return {
    admit(object) {
      try {
        const unknown = coerceMetadata(object, schema);
        return { unknown: [...unknown, ...prune(object, schema)].sort() };
      } catch (error) {
        if (!(error instanceof UnmarshalError || error instanceof TimeError)) throw error;
        throw cannotBeHandled(named.kind, named.version, error.message);
      }
    },
    applyDefaults: (object) => applySchemaDefaults(object, schema),
    validate: (object, old) => validateObject(object, old, schema),
    root: customMergeFacts(schema),
    openapi() {
      openapi ??= customOpenapi(named, schema);
      return openapi;
    },
  };
}

function validateObject(object: KubeObject, old: KubeObject | undefined, schema: JsonSchema): FieldError[] {
  const lists = validateListUniqueness(object, schema);
  // Duplicates that were there before do not stand in the way of other changes.
  const tolerated = lists.length > 0 && old !== undefined && validateListUniqueness(old, schema).length > 0;
  return [
    ...validateValue(object, schema, { old }),
    ...validateEmbeddedResources(object, schema),
    ...(tolerated ? [] : lists),
  ];
}
