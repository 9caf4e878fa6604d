import { invalidBecause, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, required } from '@slipway/api-machinery/errors/field-error';
import { pathSegmentProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { canonicalAddress } from '@slipway/kube-objects/rules/cidr';

interface ParentFields {
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
}

/** An address that is taken: by a service, or by what else says so. */
export const ipAddresses = defineResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  shortNames: ['ip'],
  namespaced: false,
  message: 'networking.v1.IPAddress',
  nameProblems(name) {
    const canonical = canonicalAddress(name);
    if (canonical === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
    return canonical === name ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
  },
  validate: ({ spec }) => validateParent(spec?.parentRef),
  validateUpdate: ({ spec }, old) => unchanged('spec.parentRef', spec?.parentRef, old.spec?.parentRef, equalJson),
  columns: [textColumn('ParentRef', 'What has the address.', parentText), ageColumn],
});

function validateParent(parent: ParentFields | undefined): FieldError[] {
  const field = 'spec.parentRef';
  if (!parent) return [required(field)];
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  const segment = (part: string, value: string) =>
    value === ''
      ? [required(`${field}.${part}`)]
      : invalidBecause(`${field}.${part}`, value, pathSegmentProblems(value));
  return [
    ...(group === '' ? [] : invalidBecause(`${field}.group`, group, subdomainProblems(group))),
    ...segment('resource', resource),
    ...segment('name', name),
    ...(namespace === '' ? [] : invalidBecause(`${field}.namespace`, namespace, pathSegmentProblems(namespace))),
  ];
}

function parentText({ spec }: KubeObject): string {
  if (!spec?.parentRef) return '<none>';
  const { group = '', resource = '', namespace = '', name = '' }: ParentFields = spec.parentRef;
  return [group === '' ? resource : `${resource}.${group}`, namespace, name].filter((part) => part !== '').join('/');
}
