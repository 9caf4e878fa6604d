import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import type { AutoscalerSpecFields } from '@slipway/kube-objects/kinds/autoscaler';
import { scaleToZeroGate, toleranceGate } from '@slipway/kube-objects/rules/gate-names';
import { defaultAutoscaler, validateAutoscaler, validateScaleToZero } from './autoscaler-spec.js';
import { metricTexts } from './autoscaler-targets.js';
import { fromV1, toV1 } from './autoscaler-versions.js';

const group = 'autoscaling';

const common = {
  group,
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  namespaced: true,
  generation: ['spec'],
  generationSince: '1.37',
  subresources: { status: true },
} as const;

const reference = textColumn('Reference', 'What it scales.', ({ spec }) => {
  const { kind = '', name = '' } = spec?.scaleTargetRef ?? {};
  return `${kind}/${name}`;
});

/** The version in which it is stored. */
export const horizontalPodAutoscalers = defineResource({
  ...common,
  version: 'v2',
  message: 'autoscaling.v2.HorizontalPodAutoscaler',
  nameRules: 'create',
  gatedFields: { [toleranceGate]: ['spec.behavior.scaleUp.tolerance', 'spec.behavior.scaleDown.tolerance'] },
  defaults: ({ spec }) => defaultAutoscaler(spec ?? {}),
  initialStatus: () => ({ desiredReplicas: 0, currentMetrics: null }),
  validateCreate: ({ spec }) => validateAutoscaler(spec ?? {}),
  validateUpdate: ({ spec }, old) => validateAutoscaler(spec ?? {}, old.spec ?? {}),
  gatedRules: { [scaleToZeroGate]: ({ spec }, isOn) => validateScaleToZero(spec ?? {}, isOn) },
  columns: columns(({ spec, status }) => metricTexts(spec?.metrics ?? [], status?.currentMetrics ?? [])),
});

/** The version with cpu alone; what it cannot say is kept in annotations. */
export const horizontalPodAutoscalersV1 = defineResource({
  ...common,
  version: 'v1',
  message: 'autoscaling.v1.HorizontalPodAutoscaler',
  nameRules: 'create',
  defaults({ spec = {} }) {
    spec.minReplicas ??= 1;
  },
  initialStatus: () => ({ currentReplicas: 0, desiredReplicas: 0 }),
  validateCreate: (autoscaler) => validateAutoscaler(defaulted(fromV1(autoscaler).spec)),
  validateUpdate: (autoscaler, old) =>
    validateAutoscaler(defaulted(fromV1(autoscaler).spec), defaulted(fromV1(old).spec)),
  gatedRules: {
    [scaleToZeroGate]: (autoscaler, isOn) => validateScaleToZero(defaulted(fromV1(autoscaler).spec), isOn),
  },
  view: { fromStored: toV1, toStored: storedFromV1 },
  columns: columns((autoscaler) => {
    const { spec, status } = fromV1(autoscaler);
    return metricTexts(spec?.metrics ?? [], status?.currentMetrics ?? []);
  }),
});

function storedFromV1(served: KubeObject): KubeObject {
  const stored = fromV1(served);
  return { ...stored, spec: defaulted(stored.spec) };
}

/** A copy with its defaults: what v1 cannot say gets them when it is stored. */
function defaulted(spec: AutoscalerSpecFields): AutoscalerSpecFields {
  const filled = structuredClone(spec);
  defaultAutoscaler(filled);
  return filled;
}

function columns(targets: (object: KubeObject) => readonly string[]) {
  return [
    reference,
    textColumn('Targets', 'Metrics as they are, and as they shall be.', (object) => targetsText(targets(object))),
    textColumn('MinPods', 'The fewest pods.', ({ spec }) => String(spec?.minReplicas ?? '<unset>')),
    // Numbers that are said to be text.
    textColumn('MaxPods', 'The most pods.', ({ spec }) => spec?.maxReplicas ?? 0),
    textColumn('Replicas', 'Pods there are.', ({ status }) => status?.currentReplicas ?? 0),
    ageColumn,
  ];
}

const shownTargets = 2;

function targetsText(texts: readonly string[]): string {
  if (texts.length === 0) return '<none>';
  const shown = texts.slice(0, shownTargets).join(', ');
  return texts.length > shownTargets ? `${shown} + ${texts.length - shownTargets} more...` : shown;
}
