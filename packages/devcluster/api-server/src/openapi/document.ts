import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { builtInSchema } from '@slipway/api-machinery/schema/type-table';
import { apiVersionOf } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { pathsOf } from './operations.js';

/** What a document says of the kinds of a group version. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, string>>;
  readonly paths: Record<string, unknown>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The OpenAPI v3 document of one group version. Yields after each definition, of which there may be hundreds. */
export function* openapiDocument(
  definitions: readonly ResourceDefinition[],
  version: string,
): Resumable<OpenApiDocument> {
  const paths: Record<string, unknown> = {};
  const minor = minorOf(version);
  const common = sharedDefinitions(minor);
  const schemas: Record<string, unknown> = { ...common };
  for (const definition of definitions) {
    const { name: ownName, definitions: own } = definition.schema.openapi();
    const name = schemaName(definition);
    const { [ownName]: schema, ...others } = own;
    // Custom kinds refer to metadata as the newest version has it.
    Object.assign(schemas, others, common);
    const list = `${name}List`;
    if (isListed(definition)) schemas[list] = { ...listSchema(definition, name, minor), ...selectable(definition) };
    schemas[name] = {
      ...Object(schema),
      ...selectable(definition),
      'x-kubernetes-group-version-kind': [kindOf(definition)],
    };
    Object.assign(paths, pathsOf(definition, { object: name, list }));
    yield;
  }
  const custom = definitions.every(({ origin }) => origin === 'custom');
  return {
    openapi: '3.0.0',
    info: custom ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } : { title: 'Kubernetes', version },
    paths,
    components: { schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
}

/**
 * The name of the schema of a kind. Versions that are alike share a message, and are called after their own version.
 */
export function schemaName({ origin, version, schema }: ResourceDefinition): string {
  const { name } = schema.openapi();
  return origin === 'custom' ? name : name.replace(/\.v\d+(?:(?:alpha|beta)\d+)?(?=\.[^.]+$)/, `.${version}`);
}

/** Kinds that can only be created have no list: they are answers, or parts of other objects. */
function isListed({ answer, createsPart, verbs }: ResourceDefinition): boolean {
  return !answer && !createsPart && (!verbs || verbs.includes('list'));
}

function kindOf({ group, version, kind }: ResourceDefinition) {
  return { group, version, kind };
}

function listSchema(definition: ResourceDefinition, item: string, minor: number) {
  const { group, version, listKind, kind, plural, origin } = definition;
  const ofItem = { $ref: `#/components/schemas/${item}` };
  // Go writes the lists of built-in kinds; up to 1.36 it says so of their elements too.
  const isWritten = origin === 'built-in';
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { type: 'string', description: `${apiVersionOf(definition)} for this list.` },
      items: {
        type: 'array',
        description: `List of ${plural}.`,
        items: isWritten && minor < 37 ? { default: {}, allOf: [ofItem] } : ofItem,
      },
      kind: { type: 'string', description: `${listKind} for this list.` },
      metadata: {
        description: 'Standard list metadata.',
        ...(isWritten && { default: {} }),
        allOf: [{ $ref: `#/components/schemas/${meta}.ListMeta` }],
      },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
  };
}

/** The fields of a custom kind that `fieldSelector` may name. */
function selectable({ origin, selectableFields }: ResourceDefinition) {
  const paths = origin === 'custom' ? Object.keys(selectableFields) : [];
  if (paths.length === 0) return {};
  return { 'x-kubernetes-selectable-fields': paths.map((fieldPath) => ({ fieldPath })) };
}

const shared = new Map<number, Readonly<Record<string, unknown>>>();

/** What every group version refers to. The type table does not change, so this is made once for a minor version. */
function sharedDefinitions(minor: number): Readonly<Record<string, unknown>> {
  const known = shared.get(minor);
  if (known) return known;
  const ids = [
    'meta.v1.DeleteOptions',
    'meta.v1.Status',
    'meta.v1.ListMeta',
    'autoscaling.v1.Scale',
    'core.v1.Binding',
  ];
  const made = {
    ...Object.assign({}, ...ids.map((id) => builtInSchema(id, minor).openapi().definitions)),
    [`${meta}.Patch`]: { description: 'A patch, in the form that its media type names.', type: 'object' },
  };
  shared.set(minor, made);
  return made;
}
