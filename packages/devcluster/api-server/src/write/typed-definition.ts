import { checkType } from '@slipway/api-machinery/apply/check-type';
import { type FieldSet, noFields } from '@slipway/api-machinery/apply/field-set';
import { ShapeError } from '@slipway/api-machinery/apply/shape-error';
import type { OtherVersion, TypedKind } from '@slipway/api-machinery/apply/typed-kind';
import { apiVersionOf, type KubeObject } from '@slipway/kube';
import type { Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** A resource as ownership of fields looks at it, when `subresource` of it is written. */
export function typedKind(core: Core, definition: ResourceDefinition, subresource: string): TypedKind {
  return {
    apiVersion: apiVersionOf(definition),
    type: definition.schema.root,
    ignored: ignoredFields(definition, subresource),
    at: (apiVersion) =>
      definition.typeAt ? customVersion(core, definition, apiVersion) : builtInVersion(core, definition, apiVersion),
  };
}

const status: FieldSet = { 'f:status': {} };

/** What a write puts back as it was. */
function ignoredFields(definition: ResourceDefinition, subresource: string): FieldSet {
  const reset = definition.resetFields?.[subresource];
  if (reset) return reset;
  if (subresource === 'status') return ignoredByStatus(definition);
  return subresource === '' && definition.subresources.status ? status : noFields;
}

function ignoredByStatus({ origin, statusKeeps = [] }: ResourceDefinition): FieldSet {
  if (origin === 'custom' || statusKeeps === 'metadata') return { 'f:metadata': {}, 'f:spec': {} };
  if (statusKeeps.length === 0) return { 'f:spec': {} };
  return { 'f:metadata': Object.fromEntries(statusKeeps.map((field) => [`f:${field}`, {}])), 'f:spec': {} };
}

/** Versions of a custom resource differ in their schema; an object becomes one of the other by saying so, or by a webhook. */
function customVersion(core: Core, definition: ResourceDefinition, apiVersion: string): OtherVersion {
  const type = definition.typeAt?.(apiVersion);
  if (!type) throw new ShapeError(`request to convert CR to an invalid group/version: ${apiVersion}`);
  const into = (to: string) => (object: unknown) =>
    definition.conversion
      ? core.conversion.known(definition, object as KubeObject, to)
      : { ...(object as KubeObject), apiVersion: to };
  const see = into(apiVersion);
  return {
    type,
    see: (object) => {
      const seen = see(object);
      checkType(type, seen, 'allowed');
      return seen;
    },
    back: into(apiVersionOf(definition)),
  };
}

/** Two built-in resources can be views of the same objects: both kinds of events. */
function builtInVersion(core: Core, definition: ResourceDefinition, apiVersion: string): OtherVersion | undefined {
  const other = core.definitions
    .all()
    .find(({ storedAs, ...face }) => storedAs === definition.storedAs && apiVersionOf(face) === apiVersion);
  if (!other) return undefined;
  const between = (from: ResourceDefinition, to: ResourceDefinition) => (object: unknown) => {
    const stored = from.view?.toStored(object as KubeObject) ?? (object as KubeObject);
    return to.view?.fromStored(stored) ?? stored;
  };
  return { type: other.schema.root, see: between(definition, other), back: between(other, definition) };
}

const empties = new WeakMap<ResourceDefinition, KubeObject>();

/** An object of which nothing was said yet; frozen. Built-in kinds have some of their fields even then. */
export function emptyObject(definition: ResourceDefinition): KubeObject {
  let empty = empties.get(definition);
  if (!empty) {
    empty = { apiVersion: apiVersionOf(definition), kind: definition.kind } as KubeObject;
    if (definition.origin === 'built-in') definition.schema.admit(empty);
    empties.set(definition, Object.freeze(empty));
  }
  return empty;
}
