import type { FeatureDefinitionSpec, Reference } from '../api/feature-definition.js';
import type { MatchRequirement } from '../api/match-requirement.js';
import { type FieldPath, FieldPathError, fieldPathText, parseFieldPath } from './field-path.js';
import facts from './kubernetes-type-graph.json' with { type: 'json' };

/** How the types of an API contain each other. */
export interface TypeGraph {
  /** The types of each resource, one for each version: of `pods`, `deployments.apps`. */
  readonly kinds: Readonly<Record<string, readonly string[]>>;
  /** For each type, its fields that hold other types; a list is `volumes[*]`. */
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Kubernetes' own types. `tools/kubernetes-type-graph.mjs` writes the facts. */
export const kubernetesTypes: TypeGraph = facts as unknown as TypeGraph;

/** A field of all objects of a resource. */
export type EmbeddedField = Required<Pick<Reference, 'group' | 'resource' | 'path'>> & Pick<Reference, 'match'>;

/** What another object makes from its own template, and keeps only as a record of it: that object counts. */
const copies: Readonly<Record<string, readonly MatchRequirement[]>> = {
  'replicasets.apps': [{ path: 'metadata.ownerReferences[*].kind', operator: 'NotIn', values: ['Deployment'] }],
};

/**
 * Finds a field in every kind that embeds the type it belongs to: `spec.volumes[*].image` of pods is a field of volumes,
 * which the templates of deployments, cron jobs and others have, too. The field itself comes first.
 * @throws FieldPathError
 */
export function embeddedFields(field: EmbeddedField, graph: TypeGraph = kubernetesTypes): readonly EmbeddedField[] {
  const { group, resource } = field;
  const steps = parseFieldPath(field.path);
  const path = fieldPathText(steps);
  const { owners, rest } = ownerOf(graph, kindName(field), steps);
  const found = Object.entries(graph.kinds).flatMap(([kind, types]) => {
    const paths = types.flatMap((type) => [...pathsTo(graph, owners, type)]);
    return [...new Set(paths)].map((prefix) => fieldOfKind(kind, prefix === '' ? rest : `${prefix}.${rest}`));
  });
  const isItself = (one: EmbeddedField) => one.group === group && one.resource === resource && one.path === path;
  return [field, ...found.filter((one) => !isItself(one))];
}

/** The references of a definition, with one for each kind that embeds the type of an `embedded` one. */
export function referencesOf({ references = [] }: Pick<FeatureDefinitionSpec, 'references'>): readonly Reference[] {
  const isNamed = (one: Reference) => references.some((reference) => isSameResource(reference, one));
  return references.flatMap((reference) => {
    const [itself = reference, ...others] = withEmbedded(reference);
    return [itself, ...others.filter((one) => !isNamed(one))];
  });
}

/** A reference, and those to the kinds that embed its type if it says so. A path that is none is left as it is. */
export function withEmbedded<T extends Reference>(reference: T): readonly (T | Reference)[] {
  const { group, resource, path, embedded, default: defaultValue } = reference;
  if (!embedded || path === undefined) return [reference];
  try {
    const [, ...others] = embeddedFields({ group, resource, path });
    return [
      reference,
      ...others.map((one) => ({ ...one, ...(defaultValue !== undefined && { default: defaultValue }) })),
    ];
  } catch (error) {
    if (error instanceof FieldPathError) return [reference];
    throw error;
  }
}

interface Owner {
  /** The types that have the field, one for each version of the kind. */
  readonly owners: ReadonlySet<string>;
  /** The path below them. */
  readonly rest: string;
}

/** The types on the path of a field of a kind, that of the kind itself first, with the path below each. @throws FieldPathError */
export function ownersOf(
  graph: TypeGraph,
  kind: Pick<Reference, 'group' | 'resource'>,
  path: string,
): readonly { readonly types: readonly string[]; readonly rest: string }[] {
  const steps = parseFieldPath(path);
  return [...followed(graph, kindName(kind), steps)].map(({ owners, at }) => ({
    types: owners,
    rest: fieldPathText(steps.slice(at)),
  }));
}

function ownerOf(graph: TypeGraph, kind: string, path: FieldPath): Owner {
  const { owners, at } = [...followed(graph, kind, path)].at(-1) ?? { owners: [], at: 0 };
  return { owners: new Set(owners), rest: fieldPathText(path.slice(at)) };
}

/** Follows a path as long as its steps are known types; a condition on list items stays below the owner. */
function* followed({ kinds, types }: TypeGraph, kind: string, path: FieldPath) {
  let owners = kinds[kind] ?? [];
  let at = 0;
  for (;;) {
    yield { owners, at };
    const [field, list] = path.slice(at, at + 2);
    const isList = list !== undefined && list.kind !== 'field';
    const length = isList ? 2 : 1;
    if (field?.kind !== 'field' || list?.kind === 'item' || at + length >= path.length) break;
    const below = owners.flatMap((owner) => types[owner]?.[isList ? `${field.name}[*]` : field.name] ?? []);
    if (below.length === 0) break;
    owners = below;
    at += length;
  }
}

/** The paths from a type to any of those wanted, through each type once. */
function* pathsTo(
  graph: TypeGraph,
  wanted: ReadonlySet<string>,
  type: string,
  path = '',
  through: readonly string[] = [],
): Iterable<string> {
  if (wanted.has(type)) yield path;
  if (through.includes(type)) return;
  for (const [field, below] of Object.entries(graph.types[type] ?? {})) {
    yield* pathsTo(graph, wanted, below, path === '' ? field : `${path}.${field}`, [...through, type]);
  }
}

function fieldOfKind(kind: string, path: string): EmbeddedField {
  const dot = kind.indexOf('.');
  const [resource, group] = dot < 0 ? [kind, ''] : [kind.slice(0, dot), kind.slice(dot + 1)];
  const match = copies[kind];
  return { group, resource, path, ...(match && { match }) };
}

/** Whether the types of a resource are known. */
export function isKubernetesKind(kind: Pick<Reference, 'group' | 'resource'>): boolean {
  return Object.hasOwn(kubernetesTypes.kinds, kindName(kind));
}

function isSameResource(a: Reference, b: Reference): boolean {
  return a.group === b.group && a.resource === b.resource && a.path === b.path;
}

function kindName({ group, resource }: Pick<Reference, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}
