import {
  ageColumn,
  customResourceDefinition,
  type KubeObject,
  type PrinterColumn,
  type ResourceRef,
  textColumn,
} from '@slipway/kube';
import type { Schema } from '@slipway/kube/schema';
import { authorSchema } from './author.js';
import { definitionSpec, definitionStatus } from './definition-schema.js';
import { Feature } from './feature.js';
import { FeatureDefinition } from './feature-definition.js';
import { featureSpec, featureStatus, gateText } from './feature-schema.js';
import { FeatureUse } from './feature-use.js';
import { FeatureVector } from './feature-vector.js';
import { useSpec, vectorSpec } from './report-schema.js';
import { type ObjectRule, rules } from './rules.js';

/** The CustomResourceDefinitions of this group, ready to be created. */
export function featureCrds(): KubeObject[] {
  return [
    crd(Feature, ['ft'], featureColumns, { ...authored, spec: featureSpec, status: featureStatus }),
    crd(FeatureDefinition, ['ftd'], definitionColumns, { ...authored, spec: definitionSpec, status: definitionStatus }),
    crd(FeatureUse, ['ftu'], useColumns, { spec: () => useSpec }),
    crd(FeatureVector, ['ftv'], vectorColumns, { spec: () => vectorSpec }),
  ];
}

const authored = { fields: { author: authorSchema } };

const featureColumns: readonly PrinterColumn[] = [
  textColumn('Gate', '.spec.gate', 'Name in code.'),
  textColumn('Stage', '.status.effective.stage', 'Stage at the version that runs.'),
  textColumn('State', '.status.summary.state', 'Where the feature is.'),
  textColumn('Configured', '.status.summary.configured', 'What it should be, and who says so.'),
  textColumn('Uses', '.status.summary.uses', 'How many processes run it.'),
  textColumn('Dangling', '.status.summary.dangling', 'Objects that use it although it is off.'),
  ageColumn,
  { ...textColumn('Since', '.status.stateSince', 'Since when it is in its state.'), type: 'date', priority: 1 },
  { ...textColumn('Next', '.status.summary.next', 'Task at work.'), priority: 1 },
  { ...textColumn('Blocked', '.status.summary.blocked', 'Why a person is waited for.'), priority: 1 },
];

const definitionColumns: readonly PrinterColumn[] = [
  textColumn('Gate', '.spec.gate', 'Name in code.'),
  textColumn('Dynamic', '.spec.dynamic', 'Whether processes may take the value from the API.'),
  textColumn('Accepted', '.status.conditions[?(@.type=="Accepted")].status', 'Whether it can be carried out.'),
  ageColumn,
];

const useColumns: readonly PrinterColumn[] = [
  textColumn('Component', '.spec.component', 'Name of the component.'),
  textColumn('Instance', '.spec.instance', 'Which of its processes.'),
  textColumn('Version', '.spec.binaryVersion', 'Version of the program.'),
  { ...textColumn('Epoch', '.spec.epoch', 'Newest round it had heard of.'), type: 'integer' },
  { ...textColumn('Renewed', '.spec.renewTime', 'When it was written.'), type: 'date' },
  { ...textColumn('Vector', '.spec.vector', 'Its values.'), priority: 1 },
];

const vectorColumns: readonly PrinterColumn[] = [
  textColumn('Component', '.spec.component', 'Name of the component.'),
  textColumn('Version', '.spec.binaryVersion', 'Version of the program.'),
  ageColumn,
];

function crd(
  resource: ResourceRef,
  shortNames: readonly string[],
  columns: readonly PrinterColumn[],
  schemas: {
    readonly spec: (gate: Schema) => Schema;
    readonly status?: Schema;
    readonly fields?: Readonly<Record<string, Schema>>;
  },
): KubeObject {
  return customResourceDefinition({
    resource,
    shortNames,
    categories: ['slipway'],
    columns,
    spec: { ...schemas.spec(gateText(rulesAt(resource.kind, 'spec.gate'))), ...rulesAt(resource.kind, 'spec') },
    ...(schemas.status && { status: schemas.status }),
    ...(schemas.fields && { fields: schemas.fields }),
    rules: rulesAt(resource.kind, 'object'),
  });
}

/** The rules of a kind that stand at one place of its schema. */
function rulesAt(kind: string, at: ObjectRule['at']): Schema {
  const found = (rules[kind] ?? []).filter((rule) => rule.at === at);
  if (found.length === 0) return {};
  return { 'x-kubernetes-validations': found.map(({ cel, message }) => ({ rule: cel, message })) };
}
