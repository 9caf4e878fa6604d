import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { invalid, invalidBecause, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import type { ContainerFields, EnvFields } from '../../kube-objects/kinds/pod-spec.js';
import { configKeyProblems } from './config-data.js';

const envNameRule = "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** Validates one environment variable. */
export function validateEnv(env: EnvFields, field: string): FieldError[] {
  const { name = '', value = '', valueFrom } = env;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${field}.name`));
  else if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) errors.push(invalid(`${field}.name`, name, envNameRule));
  if (!valueFrom) return errors;

  const at = `${field}.valueFrom`;
  const sources = Object.values(valueFrom).filter((source) => (source ?? null) !== null);
  if (sources.length === 0) {
    errors.push(
      invalid(
        at,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  } else if (value !== '') {
    errors.push(invalid(at, '', 'may not be specified when `value` is not empty'));
  } else if (sources.length > 1) {
    errors.push(invalid(at, '', 'may not have more than one field specified at a time'));
  }
  if (valueFrom.fieldRef) errors.push(...validateFieldPath(valueFrom.fieldRef.fieldPath, `${at}.fieldRef.fieldPath`));
  if (valueFrom.resourceFieldRef && !valueFrom.resourceFieldRef.resource) {
    errors.push(required(`${at}.resourceFieldRef.resource`));
  }
  for (const source of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const reference = valueFrom[source];
    if (!reference) continue;
    if (!reference.key) errors.push(required(`${at}.${source}.key`));
    else errors.push(...invalidBecause(`${at}.${source}.key`, reference.key, configKeyProblems(reference.key)));
  }
  return errors;
}

const fieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Fields of a pod that can be named, and of which most can be had as a variable. */
const knownPaths = new Set([
  ...fieldPaths,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
]);
const otherPaths = ['spec.hostNetwork', 'status.phase', 'status.nominatedNodeName'];

function validateFieldPath(path: string | undefined, field: string): FieldError[] {
  if (!path) return [required(field)];
  const [, parent, key = ''] = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/.exec(path) ?? [];
  if (parent !== undefined) return invalidBecause(field, key, qualifiedNameProblems(key));
  if (fieldPaths.includes(path)) return [];
  if (knownPaths.has(path) || otherPaths.includes(path)) return [notSupported(field, path, fieldPaths)];
  return [invalid(field, path, `error converting fieldPath: field label not supported: ${path}`)];
}

/** Validates the sources of a container's environment variables. */
export function validateEnvFrom(container: ContainerFields, field: string): FieldError[] {
  return (container.envFrom ?? []).flatMap((source, index) => {
    const at = `${field}.envFrom[${index}]`;
    const given = (['configMapRef', 'secretRef'] as const).filter((name) => source[name]);
    if (given.length === 0) return [invalid(at, '', 'must specify one of: `configMapRef` or `secretRef`')];
    if (given.length > 1) return [invalid(at, '', 'may not have more than one field specified at a time')];
    return given.filter((name) => !source[name]?.name).map((name) => required(`${at}.${name}.name`));
  });
}
