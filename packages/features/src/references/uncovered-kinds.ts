import type { Reference } from '../api/feature-definition.js';
import { type CustomTypes, type KnownTypes, kubernetesFields } from './custom-types.js';
import { kubernetesTypes, ownersOf, type TypeGraph } from './embedding.js';
import { FieldPathError } from './field-path.js';

/** A custom kind and the types of Kubernetes in it. */
export interface CustomKind {
  readonly group: string;
  readonly resource: string;
  readonly types: CustomTypes;
}

/** A field of a custom kind that no reference of a definition reaches. */
export interface UncoveredField {
  /** `rollouts.argoproj.io` */
  readonly resource: string;
  readonly path: string;
  /** Whether a reference can name it: not below a map, nor where the schema says nothing. */
  readonly isReachable: boolean;
}

/**
 * Returns the fields of custom kinds that have the type to which a field of the references belongs, and are of a kind
 * that no reference names. Only fields of types that several kinds of Kubernetes embed count.
 */
export function uncoveredFields(
  references: readonly Reference[],
  kinds: readonly CustomKind[],
  { graph, known }: { graph: TypeGraph; known: KnownTypes } = { graph: kubernetesTypes, known: kubernetesFields },
): readonly UncoveredField[] {
  const named = new Set(references.map(({ group, resource }) => `${resource}.${group}`));
  const open = kinds.filter(({ group, resource }) => !named.has(`${resource}.${group}`));
  const wanted = distinct(references.flatMap((reference) => ownerOf(reference, graph, known) ?? []));
  const isOfPods = references.some(({ group, resource, path }) => group === '' && resource === 'pods' && path);
  return open.flatMap(({ group, resource, types }) => {
    const name = `${resource}.${group}`;
    const found = wanted.flatMap(({ type, rest }) => {
      const [first = ''] = rest.split(/[.[]/, 1);
      const places = (types.places.get(type) ?? []).filter(({ fields }) => fields.has(first));
      return places.map(({ path }) => (path === '' ? rest : `${path}.${rest}`));
    });
    const fields = [...new Set(found)].map((path) => ({ resource: name, path, isReachable: !path.includes('.*') }));
    const unseen = isOfPods ? types.unknown.map((path) => ({ resource: name, path, isReachable: false })) : [];
    return [...fields, ...unseen];
  });
}

interface Owner {
  readonly type: string;
  /** The path below it. */
  readonly rest: string;
}

/** The deepest recognizable type on the path of a reference, but for the kind itself. */
function ownerOf(reference: Reference, graph: TypeGraph, known: KnownTypes): readonly Owner[] | undefined {
  if (reference.path === undefined) return undefined;
  try {
    const owners = ownersOf(graph, reference, reference.path).slice(1);
    return owners
      .findLast(({ types }) => types.some((type) => known.has(type)))
      ?.types.map((type) => ({
        type,
        rest: owners.findLast(({ types }) => types.includes(type))?.rest ?? '',
      }));
  } catch (error) {
    if (error instanceof FieldPathError) return undefined;
    throw error;
  }
}

function distinct(owners: readonly Owner[]): readonly Owner[] {
  return [...new Map(owners.map((owner) => [`${owner.type} ${owner.rest}`, owner])).values()];
}

/** Says in at most 512 characters which custom kinds a scan did not look into, and what makes it. */
export function uncoveredInWords(fields: readonly UncoveredField[]): string {
  const reachable = fields.filter(({ isReachable }) => isReachable);
  const others = fields.filter(({ isReachable }) => !isReachable);
  const list = (of: readonly UncoveredField[]) => {
    const shown = of.slice(0, 3).map(({ resource, path }) => `${resource} (${path})`);
    return of.length > shown.length ? `${shown.join(', ')} and ${of.length - shown.length} more` : shown.join(', ');
  };
  return [
    ...(reachable.length > 0 ? [`not covered: ${list(reachable)}; add a reference for each to the definition`] : []),
    ...(others.length > 0
      ? [`no path reaches: ${list(others)}; look there yourself, and name the kind in a reference`]
      : []),
  ]
    .join('; ')
    .slice(0, 512);
}
