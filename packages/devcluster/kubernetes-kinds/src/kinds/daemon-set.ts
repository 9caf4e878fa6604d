import { nonNegative, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import {
  ageColumn,
  countColumn,
  selectorColumn,
  templateColumns,
  textColumn,
} from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject, LabelSelector } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { templateWarnings } from '../warnings/workload-warnings.js';
import { type IntOrPercentField, isZero, validateAtMostAll, validateIntOrPercent } from './int-or-percent.js';
import { validateLastingPods, validatePodTemplate } from './pod-spec-validation.js';
import { selects, validateWorkloadSelector } from './selector-validation.js';
import { templatedKind } from './templated-kind.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface DaemonSetSpecFields {
  selector?: LabelSelector | null;
  template?: PodTemplateFields;
  updateStrategy?: {
    type?: string;
    rollingUpdate?: { maxSurge?: IntOrPercentField; maxUnavailable?: IntOrPercentField };
  };
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

/** How apps/v1 shows a field that older versions had: how often the template has changed. */
const templateGeneration = 'deprecated.daemonset.template.generation';

export const daemonSets = defineResource({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  ...templatedKind('template'),
  message: 'apps.v1.DaemonSet',
  nameRules: 'create',
  warnings: templateWarnings('template'),
  subresources: { status: true },
  defaults(daemonSet) {
    // Kubernetes keeps a field of older versions in an annotation, which its writer owns.
    daemonSet.metadata.annotations = { [templateGeneration]: '0', ...daemonSet.metadata.annotations };
    daemonSet.spec ??= {};
    const spec: DaemonSetSpecFields = daemonSet.spec;
    spec.updateStrategy ??= {};
    spec.updateStrategy.type ||= 'RollingUpdate';
    if (spec.updateStrategy.type === 'RollingUpdate') {
      spec.updateStrategy.rollingUpdate ??= {};
      spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
      spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
    defaultPodTemplate(spec);
  },
  initialStatus: () => ({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  }),
  prepareForCreate: (daemonSet) => countTemplates(daemonSet, 1),
  prepareForUpdate(daemonSet, old) {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
    countTemplates(daemonSet, equalJson(daemonSet.spec.template, old.spec.template) ? before : before + 1);
  },
  validate: ({ spec }) => validateSpec(spec),
  validateChange: ({ spec }, old) => unchanged('spec.selector', spec.selector, old.spec.selector, equalJson),
  columns: [
    countColumn('Desired', 'Nodes that should run a pod.', ({ status }) => status?.desiredNumberScheduled),
    countColumn('Current', 'Nodes that should run a pod and do.', ({ status }) => status?.currentNumberScheduled),
    countColumn('Ready', 'Nodes whose pod is ready.', ({ status }) => status?.numberReady),
    countColumn(
      'Up-to-date',
      'Nodes whose pod has the template of now.',
      ({ status }) => status?.updatedNumberScheduled,
    ),
    countColumn('Available', 'Nodes whose pod was ready for long enough.', ({ status }) => status?.numberAvailable),
    textColumn('Node Selector', 'Labels of the nodes that run a pod.', ({ spec }) => nodeSelectorText(spec)),
    ageColumn,
    ...templateColumns,
    selectorColumn,
  ],
});

function countTemplates({ metadata }: KubeObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
}

function nodeSelectorText(spec: DaemonSetSpecFields): string {
  const labels = Object.entries(spec.template?.spec?.nodeSelector ?? {});
  const text = labels.map(([key, value]) => `${key}=${value}`).sort();
  return text.length > 0 ? text.join(',') : '<none>';
}

function validateSpec(spec: DaemonSetSpecFields): FieldError[] {
  return [
    // One that is missing is told of by the template that it does not select, and not by itself.
    ...(spec.selector ? validateWorkloadSelector(spec.selector, 'spec.selector', 'daemonset') : []),
    ...validatePodTemplate(spec.template, 'spec.template', selects(spec.selector, spec.template?.metadata?.labels)),
    ...validateLastingPods(spec.template, 'spec.template.spec', 'DaemonSet'),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
  ];
}

function validateUpdateStrategy(strategy: NonNullable<DaemonSetSpecFields['updateStrategy']>): FieldError[] {
  const { type = '', rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [notSupported('spec.updateStrategy', strategy, ['OnDelete', 'RollingUpdate'])];
  const field = 'spec.updateStrategy.rollingUpdate';
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const errors = [
    ...validateIntOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${field}.maxSurge`),
    ...validateAtMostAll(maxUnavailable, `${field}.maxUnavailable`),
    ...validateAtMostAll(maxSurge, `${field}.maxSurge`),
  ];
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    errors.push(invalid(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}
