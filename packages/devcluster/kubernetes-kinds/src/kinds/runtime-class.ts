import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { TolerationFields } from '@slipway/kube-objects/kinds/pod-spec';
import { deprecatedLabels } from '../warnings/deprecated-node-labels.js';
import { validateToleration } from './pod-spec-validation.js';
import { validateResources } from './resource-validation.js';
import { validateLabels } from './selector-validation.js';

/** What pods of a class cost beside their containers, and which nodes can run them. */
export interface RuntimeClassFields {
  handler?: string;
  overhead?: { podFixed?: Record<string, string> };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: TolerationFields[] | null };
}

export const runtimeClasses = defineResource({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  mustNameVersion: true,
  createdByPut: true,
  message: 'node.v1.RuntimeClass',
  warnings: ({ scheduling }) =>
    deprecatedLabels(scheduling?.nodeSelector).map(([, why]) => `scheduling.nodeSelector: ${why}`),
  validate: (runtimeClass) => validateClass(runtimeClass as RuntimeClassFields),
  validateUpdate: ({ handler }, old) =>
    handler === old.handler ? [] : [invalid('handler', null, 'field is immutable')],
  columns: [textColumn('Handler', 'What of the container runtime runs the pods.', ({ handler }) => handler), ageColumn],
});

function validateClass({ handler = '', overhead, scheduling }: RuntimeClassFields): FieldError[] {
  const tolerations = scheduling?.tolerations ?? [];
  const field = 'scheduling.tolerations';
  const isTwice = repeatsIn(tolerations.map(inOneText));
  return [
    ...(handler === ''
      ? [required('handler')]
      : invalidBecause('handler', handler, labelProblems(handler).map(inBytes))),
    ...validateResources({ limits: overhead?.podFixed ?? {} }, 'overhead.podFixed'),
    ...validateLabels(scheduling?.nodeSelector ?? {}, 'scheduling.nodeSelector'),
    ...tolerations.flatMap((one, index) => [
      ...validateToleration(one, `${field}[${index}]`),
      ...(isTwice(index) ? [duplicate(`${field}[${index}]`, inGo(one))] : []),
    ]),
  ];
}

/** A toleration as Kubernetes prints its Go struct. */
function inGo({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: TolerationFields) {
  return { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds ?? null };
}

/** Tolerations that say the same have the same text, whatever the order of their fields. */
function inOneText({ key, operator, value, effect, tolerationSeconds }: TolerationFields): string {
  return JSON.stringify([key, operator, value, effect, tolerationSeconds]);
}

/** Rules that are declared with a field count in other words than those for names. */
function inBytes(problem: string): string {
  return problem.replace('63 characters', '63 bytes');
}
