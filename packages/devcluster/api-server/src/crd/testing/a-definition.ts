import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import type { CustomResourceDefinition, Version } from '../definition-object.js';

export const aSchema: JsonSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string', default: 'bee' } } },
  },
};

/** One version with a small schema, served and stored. */
export function aVersion(change: Partial<Version> = {}): Version {
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: aSchema }, ...change };
}

/** A definition as a client sends it: `alphas` of the group `lab.example.dev`. */
export function aDefinition(change: Partial<CustomResourceDefinition['spec']> = {}): CustomResourceDefinition {
  const spec = {
    group: 'lab.example.dev',
    scope: 'Namespaced',
    names: { plural: 'alphas', kind: 'Alpha' },
    versions: [aVersion()],
    ...change,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${spec.names.plural}.${spec.group}` },
    spec,
    status: { acceptedNames: {}, storedVersions: null },
  };
}
