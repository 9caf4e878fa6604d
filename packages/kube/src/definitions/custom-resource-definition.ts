import { apiVersionOf, type KubeObject, type ResourceRef } from '../transport/objects.js';
import { object, type Schema } from './schema.js';

/** The resource of apiextensions.k8s.io/v1. */
export const CustomResourceDefinition: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** One column of `kubectl get`. Columns of priority 1 are for `-o wide`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: 1;
}

/** The column that every listing ends with. */
export const ageColumn: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'When it was created.',
};

/** A column of text. */
export function textColumn(name: string, jsonPath: string, description: string): PrinterColumn {
  return { name, type: 'string', jsonPath, description };
}

export interface DefinitionParts {
  readonly resource: ResourceRef;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly columns?: readonly PrinterColumn[];
  readonly spec: Schema;
  /** Makes `status` a subresource. */
  readonly status?: Schema;
  /** Fields of the object beside `spec` and `status`. */
  readonly fields?: Readonly<Record<string, Schema>>;
  /** What stands beside `properties` of the whole object, for example `x-kubernetes-validations`. */
  readonly rules?: Schema;
}

/** A CustomResourceDefinition of one version, served and stored. */
export function customResourceDefinition(parts: DefinitionParts): KubeObject {
  const { group, version, kind, plural, namespaced } = parts.resource;
  const names = {
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: parts.shortNames ?? [],
    categories: parts.categories ?? [],
  };
  const served = {
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: wholeObject(parts) },
    ...(parts.status && { subresources: { status: {} } }),
    additionalPrinterColumns: parts.columns ?? [],
  };
  return {
    apiVersion: apiVersionOf(CustomResourceDefinition),
    kind: CustomResourceDefinition.kind,
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: namespaced ? 'Namespaced' : 'Cluster', names, versions: [served] },
  };
}

function wholeObject({ resource, spec, status, fields, rules }: DefinitionParts): Schema {
  const properties = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    ...fields,
    spec,
    ...(status && { status }),
  };
  return object(properties, `${resource.kind} of ${resource.group}.`, ['spec'], rules);
}
