import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { customSchema } from '@slipway/api-server/crd/custom-schema';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { neverStored } from '@slipway/api-server/registry/define-resource';
import type { Column, ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';

const group = 'metrics.k8s.io';
const version = 'v1beta1';

/** Over what time usage is measured: the simulated one is the same at any time. */
const metricsWindow = '10s';

const amounts: JsonSchema = {
  type: 'object',
  additionalProperties: { 'x-kubernetes-int-or-string': true },
};

/** Amounts as metrics carry them. */
export interface UsageFields {
  readonly cpu: string;
  readonly memory: string;
}

/** A resource of metrics.k8s.io: worked out for each request, never stored, and only to be read. */
export function metricsDefinition(
  { kind, plural, namespaced }: Pick<ResourceDefinition, 'kind' | 'plural' | 'namespaced'>,
  measured: { readonly schema: Readonly<Record<string, JsonSchema>>; readonly columns: readonly Column[] },
  computed: NonNullable<ResourceDefinition['computed']>,
): ResourceDefinition {
  const properties = { timestamp: { type: 'string' }, window: { type: 'string' }, ...measured.schema } as const;
  return {
    group,
    version,
    kind,
    plural,
    namespaced,
    computed,
    listKind: `${kind}List`,
    // Names that people type stay with the kinds that are measured.
    singular: '',
    ...neverStored,
    schema: customSchema({ group, version, kind }, { type: 'object', properties }),
    columns: [
      ...measured.columns,
      textColumn('Window', 'Time over which usage was measured.', ({ window }) => window),
      ageColumn,
    ],
    verbs: ['get', 'list'],
  };
}

/** Schema of amounts such as `{ cpu: '250m', memory: '300Mi' }`. */
export const usageSchema = amounts;

/** Returns the fields that all metrics have: the measured object and the time. */
export function measurementOf(kind: string, { metadata }: KubeObject, nowMs: number): KubeObject {
  const { name, namespace, labels } = metadata;
  const timestamp = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  return {
    kind,
    apiVersion: `${group}/${version}`,
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      creationTimestamp: timestamp,
      ...(labels && { labels }),
    },
    timestamp,
    window: metricsWindow,
  };
}
