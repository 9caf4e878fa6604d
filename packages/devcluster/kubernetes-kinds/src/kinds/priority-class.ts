import { oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid } from '@slipway/api-machinery/errors/field-error';
import { ageColumn, countColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import {
  balloonClassName,
  type PreemptionPolicy,
  systemClasses,
} from '@slipway/kube-objects/kinds/priority-class-system';

const highestForUsers = 1_000_000_000;

export const priorityClasses = defineResource({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  namespaced: false,
  message: 'scheduling.v1.PriorityClass',
  nameRules: 'create',
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
    countColumn('Value', 'The priority of pods of the class.', ({ value }) => value),
    {
      ...textColumn(
        'Global-Default',
        'Whether pods without a class get this one.',
        ({ globalDefault }) => globalDefault ?? false,
      ),
      type: 'boolean',
    },
    ageColumn,
    textColumn(
      'PreemptionPolicy',
      'Whether pods of the class may preempt others.',
      ({ preemptionPolicy }) => preemptionPolicy ?? '',
    ),
  ],
});

function validateValue(priorityClass: KubeObject): FieldError[] {
  const { metadata, value } = priorityClass;
  if (!metadata.name?.startsWith('system-')) {
    if (value <= highestForUsers) return [];
    return [forbidden('value', `maximum allowed value of a user defined priority is ${highestForUsers}`)];
  }
  const why = whyNotSystem(priorityClass);
  if (why === undefined) return [];
  const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`;
  return [forbidden('metadata.name', detail)];
}

function whyNotSystem({ metadata, value, globalDefault, preemptionPolicy }: KubeObject): string | undefined {
  const name = metadata.name ?? '';
  const known = systemClasses.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known.value) return `value of ${name} PriorityClass must be ${known.value}`;
  if (name === balloonClassName && preemptionPolicy !== known.preemptionPolicy) {
    return `preemptionPolicy of ${name} PriorityClass must be ${known.preemptionPolicy}`;
  }
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

const preemptionPolicies: readonly PreemptionPolicy[] = ['Never', 'PreemptLowerPriority'];

function validatePreemption({ preemptionPolicy }: KubeObject): FieldError[] {
  return oneOf('preemptionPolicy', preemptionPolicy, preemptionPolicies);
}
