import { apiVersionOf, type KubeObject, type ResourceRef } from '@slipway/kube';
import { definitionSpec, definitionStatus } from './definition-schema.js';
import { Feature } from './feature.js';
import { FeatureDefinition } from './feature-definition.js';
import { featureSpec, featureStatus, gateText } from './feature-schema.js';
import { FeatureUse } from './feature-use.js';
import { FeatureVector } from './feature-vector.js';
import { useSpec, vectorSpec } from './report-schema.js';
import { type ObjectRule, rules } from './rules.js';
import { object, type Schema } from './schema.js';

/** The resource of apiextensions.k8s.io/v1. */
export const CustomResourceDefinition: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** The CustomResourceDefinitions of this group, ready to be created. */
export function featureCrds(): KubeObject[] {
  return [
    crd(Feature, ['ft'], featureColumns, withRules('Feature', featureSpec, featureStatus)),
    crd(
      FeatureDefinition,
      ['ftd'],
      definitionColumns,
      withRules('FeatureDefinition', definitionSpec, definitionStatus),
    ),
    crd(
      FeatureUse,
      ['ftu'],
      useColumns,
      withRules('FeatureUse', () => useSpec),
    ),
    crd(
      FeatureVector,
      ['ftv'],
      vectorColumns,
      withRules('FeatureVector', () => vectorSpec),
    ),
  ];
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: number;
}

const age: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'When it was created.',
};

const featureColumns: readonly Column[] = [
  column('Gate', '.spec.gate', 'Name in code.'),
  column('Stage', '.status.effective.stage', 'Stage at the version that runs.'),
  column('State', '.status.summary.state', 'Where the feature is.'),
  column('Configured', '.status.summary.configured', 'What it should be, and who says so.'),
  column('Uses', '.status.summary.uses', 'How many processes run it.'),
  column('Dangling', '.status.summary.dangling', 'Objects that use it although it is off.'),
  age,
  { ...column('Since', '.status.stateSince', 'Since when it is in its state.'), type: 'date', priority: 1 },
  { ...column('Next', '.status.summary.next', 'Task at work.'), priority: 1 },
  { ...column('Blocked', '.status.summary.blocked', 'Why a person is waited for.'), priority: 1 },
];

const definitionColumns: readonly Column[] = [
  column('Gate', '.spec.gate', 'Name in code.'),
  column('Dynamic', '.spec.dynamic', 'Whether processes may take the value from the API.'),
  column('Accepted', '.status.conditions[?(@.type=="Accepted")].status', 'Whether it can be carried out.'),
  age,
];

const useColumns: readonly Column[] = [
  column('Component', '.spec.component', 'Name of the component.'),
  column('Instance', '.spec.instance', 'Which of its processes.'),
  column('Version', '.spec.binaryVersion', 'Version of the program.'),
  { ...column('Epoch', '.spec.epoch', 'Newest round it had heard of.'), type: 'integer' },
  { ...column('Renewed', '.spec.renewTime', 'When it was written.'), type: 'date' },
  { ...column('Vector', '.spec.vector', 'Its values.'), priority: 1 },
];

const vectorColumns: readonly Column[] = [
  column('Component', '.spec.component', 'Name of the component.'),
  column('Version', '.spec.binaryVersion', 'Version of the program.'),
  age,
];

function column(name: string, jsonPath: string, description: string): Column {
  return { name, type: 'string', jsonPath, description };
}

function crd(
  resource: ResourceRef,
  shortNames: readonly string[],
  columns: readonly Column[],
  schema: { readonly schema: Schema; readonly hasStatus: boolean },
): KubeObject {
  const { group, version, kind, plural } = resource;
  return {
    apiVersion: apiVersionOf(CustomResourceDefinition),
    kind: CustomResourceDefinition.kind,
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames,
        categories: ['slipway'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema.schema },
          ...(schema.hasStatus && { subresources: { status: {} } }),
          additionalPrinterColumns: columns,
        },
      ],
    },
  };
}

/** A whole object, with the rules of its kind at their places. */
function withRules(
  kind: string,
  spec: (gate: Schema) => Schema,
  status?: Schema,
): { readonly schema: Schema; readonly hasStatus: boolean } {
  const validations = (at: ObjectRule['at']) => {
    const found = (rules[kind] ?? []).filter((rule) => rule.at === at);
    return found.length === 0
      ? {}
      : { 'x-kubernetes-validations': found.map(({ cel, message }) => ({ rule: cel, message })) };
  };
  const properties = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: { ...spec(gateText(validations('spec.gate'))), ...validations('spec') },
    ...(status && { status }),
  };
  return {
    schema: object(properties, `${kind} of ${Feature.group}.`, ['spec'], validations('object')),
    hasStatus: status !== undefined,
  };
}
