import { invalidBecause, nonNegative, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, pathSegmentProblems } from '@slipway/api-machinery/errors/names';
import { parseQuantity } from '@slipway/kube';
import type {
  AutoscalerSpecFields,
  MetricFields,
  MetricNameFields,
  MetricTargetFields,
  ReferenceFields,
  ScalingRuleFields,
} from '@slipway/kube-objects/kinds/autoscaler';
import { validateContainerName } from './resource-validation.js';

/** Fills in the defaults, in place: cpu at 80 %, and the pace of Kubernetes where a pace is set. */
export function defaultAutoscaler(spec: AutoscalerSpecFields): void {
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) {
    const target = { type: 'Utilization', averageUtilization: 80 };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (!spec.behavior) return;
  const { scaleUp, scaleDown } = spec.behavior;
  spec.behavior.scaleUp = { ...defaultScaleUp(), ...scaleUp };
  spec.behavior.scaleDown = { ...defaultScaleDown(), ...scaleDown };
}

/** Returns the default rule of scaling up: at once, by the larger of 4 pods and 100 % every 15 s. */
export function defaultScaleUp(): ScalingRuleFields {
  return {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  };
}

/** Returns the default rule of scaling down: by 100 % every 15 s, after the controller's own stabilization window. */
export function defaultScaleDown(): ScalingRuleFields {
  return { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
}

/** Validates the spec of an autoscaler; what it scales is looked at closer when that changes. */
export function validateAutoscaler(spec: AutoscalerSpecFields, old?: AutoscalerSpecFields): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef = {}, metrics, behavior } = spec;
  return [
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...validateReference(scaleTargetRef, 'spec.scaleTargetRef'),
    ...(scalesTheSame(scaleTargetRef, old?.scaleTargetRef) ? [] : validateTargetVersion(scaleTargetRef)),
    ...(metrics ?? []).flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`)),
    ...(behavior?.scaleUp ? validateRules(behavior.scaleUp, 'spec.behavior.scaleUp') : []),
    ...(behavior?.scaleDown ? validateRules(behavior.scaleDown, 'spec.behavior.scaleDown') : []),
    ...(minReplicas !== undefined && minReplicas < 0
      ? [invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 0')]
      : []),
    ...(maxReplicas === 0 ? [required('spec.maxReplicas')] : []),
    ...(maxReplicas < 0 ? [invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1')] : []),
  ];
}

/** Validates that an autoscaler which may scale to no pods has a metric that does not come from them. */
export function validateScaleToZero({ minReplicas, metrics }: AutoscalerSpecFields, isOn: boolean): FieldError[] {
  if (minReplicas !== 0) return [];
  if (!isOn) return [invalid('spec.minReplicas', 0, 'must be greater than or equal to 1')];
  if ((metrics ?? []).some(({ type }) => type === 'Object' || type === 'External')) return [];
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbidden('spec.metrics', detail)];
}

function validateReference({ kind = '', name = '' }: ReferenceFields, field: string): FieldError[] {
  const segment = (part: string, value: string) =>
    value === ''
      ? [required(`${field}.${part}`)]
      : invalidBecause(`${field}.${part}`, value, pathSegmentProblems(value));
  return [...segment('kind', kind), ...segment('name', name)];
}

function scalesTheSame(one: ReferenceFields, other: ReferenceFields | undefined): boolean {
  return other !== undefined && one.kind === other.kind && one.apiVersion === other.apiVersion;
}

/** Of what is scaled only replication controllers are in the group without a name. */
function validateTargetVersion({ apiVersion = '', kind }: ReferenceFields): FieldError[] {
  const refuse = (why: string) => [invalid('spec.scaleTargetRef.apiVersion', apiVersion, why)];
  if (apiVersion.split('/').length > 2) return refuse(`unexpected GroupVersion string: ${apiVersion}`);
  const [group, version] = apiVersion.split('/');
  if (kind === 'ReplicationController') return [];
  return version === undefined || group === '' ? refuse('apiVersion must specify API group') : [];
}

/** The sources of a metric by its type, in the order in which Kubernetes looks at them. */
const sources = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
} as const;
const sourceTypes = Object.keys(sources).sort();

function validateMetric(metric: MetricFields, field: string): FieldError[] {
  const { type = '' } = metric;
  const own = Object.entries(sources).find(([name]) => name === type)?.[1];
  const given = Object.values(sources).filter((source) => metric[source]);
  const [first] = given;
  return [
    ...(type === '' ? [required(`${field}.type`, 'must specify a metric source type')] : []),
    ...(own ? [] : [notSupported(`${field}.type`, type, sourceTypes)]),
    ...(first ? validateSource(metric, first, `${field}.${first}`) : []),
    ...(own && !metric[own]
      ? [required(`${field}.${own}`, 'must populate information for the given metric source')]
      : []),
    ...(given.length === 1 ? [] : given)
      .filter((source) => source !== own)
      .map((source) => forbidden(`${field}.${source}`, 'must populate the given metric source only')),
  ];
}

function validateSource(
  { resource, containerResource, pods, object, external }: MetricFields,
  source: (typeof sources)[keyof typeof sources],
  field: string,
): FieldError[] {
  switch (source) {
    case 'resource':
      return validateResource(resource ?? {}, field);
    case 'containerResource':
      return validateContainerResource(containerResource ?? {}, field);
    case 'pods':
      return [
        ...validateNamed(pods ?? {}, field),
        ...requireAmount(pods?.target, ['averageValue'], field, 'must specify a positive target averageValue'),
      ];
    case 'object':
      return [
        ...validateReference(object?.describedObject ?? {}, `${field}.describedObject`),
        ...validateNamed(object ?? {}, field),
        ...requireAmount(
          object?.target,
          ['value', 'averageValue'],
          field,
          'must set either a target value or averageValue',
        ),
      ];
    default:
      return [
        ...validateNamed(external ?? {}, field),
        ...requireAmount(
          external?.target,
          ['value', 'averageValue'],
          field,
          'must set either a target value for metric or a per-pod target',
        ),
        ...(external?.target?.value !== undefined && external.target.averageValue !== undefined
          ? [forbidden(`${field}.target.value`, 'may not set both a target value for metric and a per-pod target')]
          : []),
      ];
  }
}

function validateContainerResource(
  { name = '', container = '', target = {} }: NonNullable<MetricFields['containerResource']>,
  field: string,
): FieldError[] {
  return [
    ...(name === ''
      ? [required(`${field}.name`, 'must specify a resource name')]
      : validateContainerName(name, `${field}.name`)),
    ...(container === ''
      ? [required(`${field}.container`, 'must specify a container')]
      : invalidBecause(`${field}.container`, container, labelProblems(container))),
    ...validateUtilization(target, `${field}.target`),
  ];
}

function validateResource({ name = '', target = {} }: { name?: string; target?: MetricTargetFields }, field: string) {
  const errors = name === '' ? [required(`${field}.name`, 'must specify a resource name')] : [];
  return [...errors, ...validateUtilization(target, `${field}.target`)];
}

function validateUtilization(target: MetricTargetFields, field: string): FieldError[] {
  const { averageUtilization, averageValue } = target;
  const errors = validateTarget(target, field);
  if (averageUtilization === undefined && averageValue === undefined) {
    errors.push(required(`${field}.averageUtilization`, 'must set either a target raw value or a target utilization'));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    errors.push(forbidden(`${field}.averageValue`, 'may not set both a target raw value and a target utilization'));
  }
  return errors;
}

function validateNamed(
  { metric = {}, target = {} }: { metric?: MetricNameFields; target?: MetricTargetFields },
  field: string,
) {
  const { name = '' } = metric;
  return [
    ...(name === ''
      ? [required(`${field}.metric.name`, 'must specify a metric name')]
      : invalidBecause(`${field}.metric.name`, name, pathSegmentProblems(name))),
    ...validateTarget(target, `${field}.target`),
  ];
}

/** A target must set one of these amounts. */
function requireAmount(
  target: MetricTargetFields = {},
  amounts: readonly ('value' | 'averageValue')[],
  field: string,
  why: string,
): FieldError[] {
  return amounts.some((amount) => target[amount] !== undefined) ? [] : [required(`${field}.target.averageValue`, why)];
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function validateTarget({ type = '', value, averageValue, averageUtilization }: MetricTargetFields, field: string) {
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric target type'));
  if (!targetTypes.includes(type)) {
    errors.push(invalid(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const [name, amount] of Object.entries({ value, averageValue })) {
    if (amount !== undefined && parseQuantity(amount).nano <= 0n) {
      errors.push(invalid(`${field}.${name}`, amount, 'must be positive'));
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(invalid(`${field}.averageUtilization`, averageUtilization, 'must be greater than 0'));
  }
  return errors;
}

const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];
const longestWindowSeconds = 3600;
const longestPeriodSeconds = 1800;

function validateRules(rules: ScalingRuleFields, field: string): FieldError[] {
  const { stabilizationWindowSeconds: window, selectPolicy, policies, tolerance } = rules;
  return [
    ...nonNegative(`${field}.stabilizationWindowSeconds`, window).map((error) => ({
      ...error,
      detail: 'must be greater than or equal to zero',
    })),
    ...(window !== undefined && window > longestWindowSeconds
      ? [
          invalid(
            `${field}.stabilizationWindowSeconds`,
            window,
            `must be less than or equal to ${longestWindowSeconds}`,
          ),
        ]
      : []),
    ...oneOf(`${field}.selectPolicy`, selectPolicy, selectPolicies),
    ...(policies?.length ? [] : [required(`${field}.policies`, 'must specify at least one Policy')]),
    ...(policies ?? []).flatMap(({ type = '', value = 0, periodSeconds = 0 }, index) => {
      const at = `${field}.policies[${index}]`;
      return [
        ...oneOf(`${at}.type`, type, policyTypes),
        ...(value <= 0 ? [invalid(`${at}.value`, value, 'must be greater than zero')] : []),
        ...(periodSeconds <= 0 ? [invalid(`${at}.periodSeconds`, periodSeconds, 'must be greater than zero')] : []),
        ...(periodSeconds > longestPeriodSeconds
          ? [invalid(`${at}.periodSeconds`, periodSeconds, `must be less than or equal to ${longestPeriodSeconds}`)]
          : []),
      ];
    }),
    ...(tolerance !== undefined && parseQuantity(tolerance).nano < 0n
      ? [invalid(`${field}.tolerance`, tolerance, 'must be greater than or equal to zero')]
      : []),
  ];
}
