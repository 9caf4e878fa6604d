import type { KubeObject } from '@slipway/kube';
import type { FieldError } from '../registry/resource-definition.js';
import { ageColumn, textColumn } from './columns.js';
import { defineResource } from './define-resource.js';
import { forbidden, invalid, notSupported } from './field-error.js';

const highestForUsers = 1_000_000_000;

/** Values of the priority classes that every cluster has. */
export const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

export const priorityClasses = defineResource({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  namespaced: false,
  message: 'scheduling.v1.PriorityClass',
  generation: ['value'],
  defaults(priorityClass) {
    priorityClass.value ??= 0;
    priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validate: (priorityClass) => [...validateValue(priorityClass), ...validatePreemption(priorityClass)],
  validateUpdate: ({ value, preemptionPolicy }, old) => [
    ...(value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...(preemptionPolicy === old.preemptionPolicy
      ? []
      : [invalid('preemptionPolicy', preemptionPolicy, 'field is immutable')]),
  ],
  columns: [
    textColumn('Value', 'The priority of pods of the class.', ({ value }) => value ?? 0),
    textColumn(
      'Global-Default',
      'Whether pods without a class get this one.',
      ({ globalDefault }) => globalDefault ?? false,
    ),
    ageColumn,
    textColumn(
      'PreemptionPolicy',
      'Whether pods of the class may preempt others.',
      ({ preemptionPolicy }) => preemptionPolicy ?? '',
    ),
  ],
});

function validateValue({ metadata: { name = '' }, value, globalDefault }: KubeObject): FieldError[] {
  if (!name.startsWith('system-')) {
    if (value <= highestForUsers) return [];
    return [forbidden('value', `maximum allowed value of a user defined priority is ${highestForUsers}`)];
  }
  const why = whyNotSystem(name, value, globalDefault === true);
  if (why === undefined) return [];
  const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`;
  return [forbidden('metadata.name', detail)];
}

function whyNotSystem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = Object.hasOwn(systemPriorities, name) ? systemPriorities[name] : undefined;
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

const preemptionPolicies = ['Never', 'PreemptLowerPriority'];

function validatePreemption({ preemptionPolicy }: KubeObject): FieldError[] {
  if (preemptionPolicies.includes(preemptionPolicy)) return [];
  return [notSupported('preemptionPolicy', preemptionPolicy, preemptionPolicies)];
}
