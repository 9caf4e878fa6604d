import { invalidBecause, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, notSupported, required, tooLong } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, pathSegmentProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';

/** Marks the class of ingresses that name none. */
export const defaultIngressClassAnnotation = 'ingressclass.kubernetes.io/is-default-class';

import { validateDomainPrefixedPath } from './domain-prefixed-path.js';

interface ParametersFields {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
  scope?: string;
  namespace?: string;
}

export const ingressClasses = defineResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  message: 'networking.v1.IngressClass',
  nameRules: 'last',
  generation: ['spec'],
  defaults({ spec }) {
    if (spec?.parameters) spec.parameters.scope ??= 'Cluster';
  },
  validate: ({ spec }) => [
    ...validateController(spec?.controller ?? ''),
    ...(spec?.parameters ? validateParameters(spec.parameters) : []),
  ],
  validateChange: ({ spec }, old) =>
    unchanged('spec.controller', spec?.controller ?? '', old.spec?.controller ?? '', (a, b) => a === b),
  columns: [
    textColumn('Controller', 'Who serves ingresses of the class.', ({ spec }) => spec?.controller ?? ''),
    textColumn('Parameters', 'What configures the controller further.', parametersText),
    ageColumn,
  ],
});

const longestController = 250;

function validateController(controller: string): FieldError[] {
  const field = 'spec.controller';
  if (controller.length > longestController) return [tooLong(field, longestController)];
  return validateDomainPrefixedPath(controller, field);
}

const scopes = ['Cluster', 'Namespace'];

function validateParameters(parameters: ParametersFields): FieldError[] {
  const field = 'spec.parameters';
  const { apiGroup, kind = '', name = '', scope, namespace } = parameters;
  const segment = (part: string, value: string) =>
    value === '' ? [] : invalidBecause(`${field}.${part}`, value, pathSegmentProblems(value));
  // Kubernetes finds what is missing last.
  const missing = Object.entries({ kind, name })
    .filter(([, value]) => value === '')
    .map(([part]) => required(`${field}.${part}`));
  const errors = [
    ...(apiGroup ? invalidBecause(`${field}.apiGroup`, apiGroup, subdomainProblems(apiGroup)) : []),
    ...segment('kind', kind),
    ...segment('name', name),
  ];
  if (scope === undefined) errors.push(required(`${field}.scope`));
  else if (!scopes.includes(scope)) errors.push(notSupported(`${field}.scope`, scope, scopes));
  else errors.push(...validateNamespace(scope, namespace, `${field}.namespace`));
  return [...errors, ...missing];
}

function validateNamespace(scope: string, namespace: string | undefined, field: string): FieldError[] {
  if (scope === 'Cluster') {
    return namespace === undefined ? [] : [forbidden(field, "`parameters.scope` is set to 'Cluster'")];
  }
  if (namespace === undefined) return [required(field, "`parameters.scope` is set to 'Namespace'")];
  return invalidBecause(field, namespace, labelProblems(namespace));
}

function parametersText({ spec }: KubeObject): string {
  if (!spec?.parameters) return '<none>';
  const { apiGroup, kind, name }: ParametersFields = spec.parameters;
  return `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}`;
}
