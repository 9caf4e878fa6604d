import { kubernetesTypes, type TypeGraph } from './embedding.js';

/** A part of an OpenAPI v3 schema, as API servers publish it. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: boolean | OpenApiSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** A place in the objects of a custom kind that has a type of Kubernetes. */
export interface TypePlace {
  /** `spec.template.spec`; the path of a list ends in `[*]`, and `*` stands for any key of a map. */
  readonly path: string;
  /** The fields that the schema has there. */
  readonly fields: ReadonlySet<string>;
}

/** What the schema of a custom kind says about the types of Kubernetes that it embeds. */
export interface CustomTypes {
  readonly places: ReadonlyMap<string, readonly TypePlace[]>;
  /** Places for a pod or its template whose fields the schema does not name. */
  readonly unknown: readonly string[];
}

/** A type with fewer fields that hold types themselves is not recognized: others may have these names too. */
const minFields = 3;
/** Of the parts of a schema no more are read: the largest definitions have about 20,000. */
const maxParts = 100_000;

/**
 * Finds the types of Kubernetes that a schema embeds. A definition copies the schema of such a type and keeps no name of
 * it, so a type is recognized by its fields: at least half of those that hold types themselves, as a copy of another release has.
 */
export function customTypes(
  schema: OpenApiSchema,
  resolve: (ref: string) => OpenApiSchema | undefined,
  known: KnownTypes = kubernetesFields,
): CustomTypes {
  const places = new Map<string, TypePlace[]>();
  const unknown: string[] = [];
  let parts = 0;
  const visit = (part: OpenApiSchema, path: string, through: readonly string[]): void => {
    const ref = refOf(part);
    if (++parts > maxParts || (ref !== undefined && through.includes(ref))) return;
    const passed = ref === undefined ? through : [...through, ref];
    const { properties = {}, items, additionalProperties, ...rest } = (ref && resolve(ref)) || part;
    const names = Object.keys(properties);
    if (names.length === 0 && rest['x-kubernetes-preserve-unknown-fields'] && isForPods(path)) unknown.push(path);
    for (const type of known.recognize(names)) {
      places.set(type, [...(places.get(type) ?? []), { path, fields: new Set(names) }]);
    }
    for (const [name, below] of Object.entries(properties)) {
      if (path === '' && (name === 'metadata' || name === 'status')) continue;
      visit(below, path === '' ? name : `${path}.${name}`, passed);
    }
    if (items) visit(items, `${path}[*]`, passed);
    if (typeof additionalProperties === 'object') visit(additionalProperties, `${path}.*`, passed);
  };
  visit(schema, '', []);
  return { places, unknown };
}

function isForPods(path: string): boolean {
  return /(template|podspec|^spec\.pod|\.pod)$/i.test(path);
}

/** In OpenAPI v3 a reference with a description or a default is the only member of `allOf`. */
function refOf({ $ref, allOf }: OpenApiSchema): string | undefined {
  return $ref ?? allOf?.[0]?.$ref;
}

/** Recognizes types by the names of their fields. */
export class KnownTypes {
  readonly #fields = new Map<string, number>();
  readonly #having = new Map<string, string[]>();

  constructor({ types }: TypeGraph) {
    for (const [type, fields] of Object.entries(types)) {
      const names = new Set(Object.keys(fields).map((field) => field.replace('[*]', '')));
      if (names.size < minFields) continue;
      this.#fields.set(type, names.size);
      for (const name of names) this.#having.set(name, [...(this.#having.get(name) ?? []), type]);
    }
  }

  /** Whether a type has enough fields to be recognized. */
  has(type: string): boolean {
    return this.#fields.has(type);
  }

  recognize(names: readonly string[]): readonly string[] {
    const counts = new Map<string, number>();
    for (const type of names.flatMap((name) => this.#having.get(name) ?? [])) {
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    return [...counts]
      .filter(([type, count]) => count >= minFields && count * 2 >= (this.#fields.get(type) ?? 0))
      .map(([type]) => type);
  }
}

export const kubernetesFields = new KnownTypes(kubernetesTypes);
