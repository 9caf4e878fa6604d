import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  forbidden,
  invalidBecause,
  notSupported,
  required,
  tooLong,
  unchanged,
} from '@slipway/api-machinery/errors/field-error';
import { pathSegmentProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
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
  generation: ['spec'],
  defaults({ spec }) {
    if (spec?.parameters) spec.parameters.scope ??= 'Cluster';
  },
  validate: ({ spec }) => [
    ...validateController(spec?.controller ?? ''),
    ...(spec?.parameters ? validateParameters(spec.parameters) : []),
  ],
  validateUpdate: ({ spec }, old) =>
    unchanged('spec.controller', spec?.controller, old.spec?.controller, (a, b) => a === b),
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
  const missing = Object.entries({ kind, name }).filter(([, value]) => value === '');
  const errors = [
    ...(apiGroup ? invalidBecause(`${field}.apiGroup`, apiGroup, subdomainProblems(apiGroup)) : []),
    ...segment('kind', kind),
    ...segment('name', name),
    ...missing.map(([part]) => required(`${field}.${part}`)),
  ];
  if (scope === undefined) return [...errors, required(`${field}.scope`)];
  if (!scopes.includes(scope)) return [...errors, notSupported(`${field}.scope`, scope, scopes)];
  if (scope === 'Cluster' && namespace !== undefined) {
    errors.push(forbidden(`${field}.namespace`, "parameters.scope is set to 'Cluster'"));
  }
  if (scope === 'Namespace' && !namespace) {
    errors.push(required(`${field}.namespace`, "parameters.scope is set to 'Namespace'"));
  }
  return errors;
}

function parametersText({ spec }: KubeObject): string {
  if (!spec?.parameters) return '<none>';
  const { apiGroup, kind, name }: ParametersFields = spec.parameters;
  return `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}`;
}
