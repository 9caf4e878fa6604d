import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { fieldErrorBody } from '@slipway/api-machinery/errors/field-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { cannotBeHandled } from '@slipway/api-machinery/schema/cannot-be-handled';
import { TimeError } from '@slipway/api-machinery/schema/canonical-time';
import { customMergeFacts } from '@slipway/api-machinery/schema/custom-merge-facts';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import type { ObjectSchema } from '@slipway/api-machinery/schema/object-schema';
import { UnmarshalError } from '@slipway/api-machinery/schema/unmarshal-error';
import { type RuleValidator, ruleValidator } from '@slipway/cel/kubernetes/validate-with-rules';
import type { KubeObject } from '@slipway/kube';
import { coerceMetadata } from './coerce-metadata.js';
import { customOpenapi } from './custom-openapi.js';
import { validatingResources } from './embedded-resources.js';
import { validatingLists } from './list-uniqueness.js';
import { prune } from './prune.js';
import { requireRoomForDefaults } from './room-for-defaults.js';
import { applySchemaDefaults } from './schema-defaults.js';
import { validatingValue } from './validate-value.js';

/** An object schema with rules in it. */
export interface CustomSchema extends ObjectSchema {
  /** Rules that an object broke before an update, and breaks still. */
  readonly warnings: (object: KubeObject, old: KubeObject) => Resumable<readonly string[]>;
}

/** The schema of one version of a custom kind, made from its structural openAPIV3Schema. */
export function customSchema(
  named: { readonly group: string; readonly version: string; readonly kind: string },
  schema: JsonSchema,
): CustomSchema {
  let openapi: ReturnType<ObjectSchema['openapi']> | undefined;
  // Compiled when the first object comes: a definition may wait long for one, and start-up should not wait for it.
  let compiled: { readonly rules: RuleValidator | undefined } | undefined;
  const rulesOf = () => {
    compiled ??= { rules: ruleValidator(schema) };
    return compiled.rules;
  };
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
    applyDefaults(object, nulls) {
      requireRoomForDefaults(object, named, schema);
      applySchemaDefaults(object, schema, nulls);
    },
    *validate(object, old) {
      const errors = yield* validatingObject(object, old, schema);
      const rules = rulesOf();
      if (!rules) return errors;
      yield;
      return [...errors, ...(errors.some(isBlocking) ? [notAllChecked] : yield* rules.errors(object, old))];
    },
    *warnings(object, old) {
      const rules = rulesOf();
      const errors = rules ? yield* rules.tolerated(object, old) : [];
      return errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`);
    },
    root: customMergeFacts(schema),
    openapi() {
      openapi ??= customOpenapi(named, schema);
      return openapi;
    },
  };
}

/** Rules are asked only about values that are what their schema says they are. */
function isBlocking({ type }: FieldError): boolean {
  return ['NotSupported', 'Required', 'TooLong', 'TooMany', 'TypeInvalid'].includes(type);
}

const notAllChecked: FieldError = {
  type: 'Invalid',
  field: '<nil>',
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; ' +
    'correct the existing errors to complete validation',
};

function* validatingObject(
  object: KubeObject,
  old: KubeObject | undefined,
  schema: JsonSchema,
): Resumable<readonly FieldError[]> {
  const lists = yield* validatingLists(object, schema);
  // Duplicates that were there before do not stand in the way of other changes.
  const tolerated = lists.length > 0 && old !== undefined && (yield* validatingLists(old, schema)).length > 0;
  yield;
  const errors = yield* validatingValue(object, schema, { old });
  yield;
  return [...errors, ...(yield* validatingResources(object, schema)), ...(tolerated ? [] : lists)];
}
