import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import type { FieldReference, ResourceReference } from '@slipway/kube-objects/kinds/pod-spec';

/** Where a field of the pod is wanted. */
type Use = 'env' | 'volume';

/** Fields of a pod that can be had as a variable, and as a file. */
const usable: Readonly<Record<Use, readonly string[]>> = {
  env: [
    'metadata.name',
    'metadata.namespace',
    'metadata.uid',
    'spec.nodeName',
    'spec.serviceAccountName',
    'status.hostIP',
    'status.hostIPs',
    'status.podIP',
    'status.podIPs',
  ],
  volume: ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'],
};

/** Fields of a pod that have a path at all. */
const known = new Set([
  ...usable.env,
  ...usable.volume,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
]);
/** Maps of which one entry can be named: `metadata.labels['app']`. */
const maps = ['metadata.annotations', 'metadata.labels'];

/** Validates a reference to a field of the pod. */
export function validateFieldReference(reference: FieldReference, use: Use, field: string): FieldError[] {
  const { apiVersion = '', fieldPath = '' } = reference;
  if (apiVersion === '') return [required(`${field}.apiVersion`)];
  if (fieldPath === '') return [required(`${field}.fieldPath`)];
  const at = `${field}.fieldPath`;
  const unreadable = (why: string) => [invalid(at, fieldPath, `error converting fieldPath: ${why}`)];
  if (apiVersion !== 'v1') return unreadable(`unsupported pod version: ${apiVersion}`);
  const [, map = '', key] = /^(.*?)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (key !== undefined) {
    if (!maps.includes(map)) return unreadable(`field label does not support subscript: ${fieldPath}`);
    const name = map === 'metadata.annotations' ? key.toLowerCase() : key;
    return invalidBecause(field, name, qualifiedNameProblems(name));
  }
  if (!known.has(fieldPath)) return unreadable(`field label not supported: ${fieldPath}`);
  const path = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  return usable[use].includes(path) ? [] : [notSupported(at, path, usable[use])];
}

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const pages = /^(?:limits|requests)\.hugepages-/;
const bytes = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Validates a reference to a request or a limit of a container. */
export function validateResourceReference(reference: ResourceReference, use: Use, field: string): FieldError[] {
  const { containerName = '', resource = '', divisor = '0' } = reference;
  const errors: FieldError[] = [];
  if (use === 'volume' && containerName === '') errors.push(required(`${field}.containerName`));
  else if (resource === '') errors.push(required(`${field}.resource`));
  else if (!resources.includes(resource) && !pages.test(resource)) {
    errors.push(notSupported(`${field}.resource`, resource, resources));
  }
  if (divisor === '0') return errors;
  const [, , name = ''] = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.*)$/s.exec(resource) ?? [];
  if (name === '') return errors;
  const allowed = name === 'cpu' ? ['1m', '1'] : bytes;
  if (allowed.includes(divisor)) return errors;
  const called = { cpu: 'cpu', memory: 'memory', 'ephemeral-storage': 'local ephemeral storage' }[name] ?? 'hugepages';
  const values = name === 'cpu' ? '1m and 1' : allowed.join(', ');
  const detail = `only divisor's values ${values} are supported with the ${called} resource`;
  return [...errors, invalid(`${field}.divisor`, resource, detail)];
}
