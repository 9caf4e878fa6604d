import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { describeFieldErrors } from '@slipway/api-machinery/errors/field-errors';
import { defaultVersion } from '@slipway/api-machinery/schema/supported-versions';
import type { ResourceDefinition, WriteContext } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';

/** When everything in these tests happens. */
export const now = Date.parse('2026-11-20T12:00:00Z');

/** Returns the context of a write; only the named gates are on. */
export function writing(
  options: { readonly gates?: readonly string[]; readonly subresource?: string; readonly version?: string } = {},
): WriteContext {
  const { gates = [], subresource = '', version = defaultVersion } = options;
  return { isEnabled: (gate) => gates.includes(gate), subresource, nowMs: now, version };
}

/** The object that a create of `given` stores, validation aside. */
export function created(definition: ResourceDefinition, given: object, context = writing()): KubeObject {
  const object = decoded(definition, given);
  definition.applyServerDefaults?.(object, context);
  definition.prepareForCreate?.(object, context);
  return object;
}

/** The object that an update of `old` to `given` stores, validation aside. */
export function updated(
  definition: ResourceDefinition,
  old: KubeObject,
  given: object,
  context = writing(),
): KubeObject {
  const object = decoded(definition, given);
  definition.applyServerDefaults?.(object, context);
  definition.prepareForUpdate?.(object, structuredClone(old), context);
  return object;
}

/** Returns the errors of creating `given`, one line each; the gates of rules are on. */
export function createErrors(definition: ResourceDefinition, given: object): string[] {
  const object = created(definition, given);
  return lines([...definition.validateCreate(object), ...gatedErrors(definition, object)]);
}

function gatedErrors({ gatedRules = {} }: ResourceDefinition, object: KubeObject, old?: KubeObject): FieldError[] {
  return Object.values(gatedRules).flatMap((rule) => rule(object, true, old));
}

/** Creates `before`, updates it to `after` and returns the errors of the update; the gates of rules are on. */
export function updateErrors(
  definition: ResourceDefinition,
  before: object,
  after: object,
  subresource = '',
  version = defaultVersion,
): string[] {
  const old = created(definition, before, writing({ version }));
  const object = updated(definition, old, after, writing({ subresource, version }));
  return lines([
    ...definition.validateUpdate(object, old, subresource, version),
    ...gatedErrors(definition, object, old),
  ]);
}

/** A row of `kubectl get -o wide`: header and cells. */
export function row(definition: ResourceDefinition, object: KubeObject): Record<string, unknown> {
  return Object.fromEntries(definition.columns.map(({ name, cell }) => [name.toUpperCase(), cell(object, now)]));
}

/** A body as it is read: what its kind does not know is gone, and defaults are there. */
export function decoded(definition: ResourceDefinition, given: object): KubeObject {
  const object: KubeObject = structuredClone({
    apiVersion: definition.group === '' ? definition.version : `${definition.group}/${definition.version}`,
    kind: definition.kind,
    metadata: { name: 'it' },
    ...given,
  });
  const { unknown } = definition.schema.admit(object);
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`);
  definition.applyDefaults(object);
  return object;
}

/** Errors as people read them. */
export function lines(errors: readonly FieldError[]): string[] {
  return errors.map((error) => describeFieldErrors([error]));
}
