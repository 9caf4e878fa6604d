import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import type { ContainerFields, EnvFields } from '@slipway/kube-objects/kinds/pod-spec';
import { configKeyProblems } from './config-data.js';
import { validateFieldReference, validateResourceReference } from './downward-reference.js';

const envNameRule = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const envName = /^[\x20-\x3c\x3e-\x7e]+$/;

/** Validates one environment variable. */
export function validateEnv(env: EnvFields, field: string): FieldError[] {
  const { name = '', value = '', valueFrom } = env;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${field}.name`));
  else if (!envName.test(name)) errors.push(invalid(`${field}.name`, name, envNameRule));
  if (!valueFrom) return errors;

  const at = `${field}.valueFrom`;
  const { fieldRef, resourceFieldRef } = valueFrom;
  if (fieldRef) errors.push(...validateFieldReference(fieldRef, 'env', `${at}.fieldRef`));
  if (resourceFieldRef) {
    errors.push(...validateResourceReference(resourceFieldRef, 'env', `${at}.resourceFieldRef`));
  }
  for (const source of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const reference = valueFrom[source];
    if (reference) errors.push(...validateKeyReference(reference, `${at}.${source}`));
  }
  const count = Object.values(valueFrom).filter((source) => (source ?? null) !== null).length;
  const refuse = (detail: string) => errors.push(invalid(at, '', detail));
  if (count === 0) {
    refuse('must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`');
  } else if (value !== '') refuse('may not be specified when `value` is not empty');
  else if (count > 1) refuse('may not have more than one field specified at a time');
  return errors;
}

function validateKeyReference({ name = '', key = '' }: { name?: string; key?: string }, field: string): FieldError[] {
  return [
    ...invalidBecause(`${field}.name`, name, subdomainProblems(name)),
    ...(key === '' ? [required(`${field}.key`)] : invalidBecause(`${field}.key`, key, configKeyProblems(key))),
  ];
}

/** Validates the sources of a container's environment variables. */
export function validateEnvFrom(container: ContainerFields, field: string): FieldError[] {
  const list = `${field}.envFrom`;
  return (container.envFrom ?? []).flatMap((source, index) => {
    const at = `${list}[${index}]`;
    const { prefix = '' } = source;
    const errors: FieldError[] = [];
    if (prefix !== '' && !envName.test(prefix)) errors.push(invalid(`${at}.prefix`, prefix, envNameRule));
    const given = (['configMapRef', 'secretRef'] as const).filter((kind) => source[kind]);
    for (const kind of given) {
      const { name = '' } = source[kind] ?? {};
      if (name === '') errors.push(required(`${at}.${kind}.name`));
      else errors.push(...invalidBecause(`${at}.${kind}.name`, name, prefixProblems(name)));
    }
    if (given.length === 0) errors.push(invalid(list, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (given.length > 1) errors.push(invalid(list, '', 'may not have more than one field specified at a time'));
    return errors;
  });
}

/** What follows a name that ends with a hyphen would be made up: it is looked at as though it were there. */
function prefixProblems(name: string): string[] {
  return subdomainProblems(name.length > 1 && name.endsWith('-') ? `${name.slice(0, -1)}a` : name);
}
