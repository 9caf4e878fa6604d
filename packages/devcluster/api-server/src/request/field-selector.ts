import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { type KubeObject, matchesFields, parseFieldSelector as parse, SelectorError } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** Selects objects by the values of some of their fields. */
export interface FieldSelector {
  readonly matches: (object: KubeObject) => boolean;
  /** The only name that can match, when the selector says so: spares a walk over everything. */
  readonly name: string | undefined;
  /** The node that what matches must be on, likewise. */
  readonly nodeName: string | undefined;
}

/**
 * Holds the demands of a field selector against what the resource lets itself be
 * selected by. Undefined for none, which select all.
 *
 * @throws StatusError BadRequest.
 */
export function fieldSelectorOf(
  requirements: ReturnType<typeof fieldRequirements>,
  definition: ResourceDefinition,
): FieldSelector | undefined {
  if (requirements.length === 0) return undefined;
  const readers = new Map(requirements.map(({ path }) => [path, reader(path, definition)]));
  const only = (wanted: string) =>
    requirements.find(({ path, operator }) => path === wanted && operator === '=')?.value;
  return {
    matches: (object) => matchesFields(requirements, (path) => readers.get(path)?.(object) ?? ''),
    name: only('metadata.name'),
    nodeName: only('spec.nodeName'),
  };
}

/**
 * Reads the syntax of a field selector, whatever its fields are.
 *
 * @throws StatusError BadRequest.
 */
export function fieldRequirements(text: string) {
  if (text === '') return [];
  try {
    // Kubernetes takes a lone `=` for no demand at all.
    return parse(text).filter(({ path, value }) => path !== '' || value !== '');
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error;
  }
}

function reader(path: string, definition: ResourceDefinition): (object: KubeObject) => string {
  if (path === 'metadata.name') return (object) => object.metadata.name ?? '';
  const isPlain = definition.origin === 'built-in' && Object.keys(definition.selectableFields).length === 0;
  if (path === 'metadata.namespace' && (definition.namespaced || isPlain))
    return (object) => object.metadata.namespace ?? '';
  const read = Object.hasOwn(definition.selectableFields, path) ? definition.selectableFields[path] : undefined;
  if (!read) throw badRequest(unknownField(path, definition));
  return read;
}

/** Kinds that are selected by nothing of their own are refused in other words. */
function unknownField(path: string, { origin, selectableFields }: ResourceDefinition): string {
  if (origin === 'custom' || Object.keys(selectableFields).length > 0) return `field label not supported: ${path}`;
  return `${JSON.stringify(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
