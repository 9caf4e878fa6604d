import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  duplicate,
  forbidden,
  invalid,
  invalidBecause,
  notSupported,
  required,
} from '@slipway/api-machinery/errors/field-error';
import { labelProblems } from '@slipway/api-machinery/errors/names';
import { parseQuantity } from '@slipway/kube';
import type { VolumeFields } from '../../kube-objects/kinds/pod-spec.js';

/** Sources that need a name or a path to mean anything. */
const sourceKeys: Readonly<Record<string, string>> = {
  hostPath: 'path',
  secret: 'secretName',
  configMap: 'name',
  persistentVolumeClaim: 'claimName',
  nfs: 'server',
  csi: 'driver',
};

/** Validates the volumes of a pod. */
export function validateVolumes(volumes: readonly VolumeFields[], field: string): FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const at = `${field}[${index}]`;
    const { name = '', ...sources } = volume;
    const errors: FieldError[] =
      name === '' ? [required(`${at}.name`)] : invalidBecause(`${at}.name`, name, labelProblems(name));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);

    const given = Object.keys(sources);
    if (given.length === 0) errors.push(required(at, 'must specify a volume type'));
    for (const source of given.slice(1))
      errors.push(forbidden(`${at}.${source}`, 'may not specify more than 1 volume type'));
    for (const source of given.slice(0, 1)) {
      const key = sourceKeys[source];
      const fields = sources[source] as Record<string, unknown> | undefined;
      if (key !== undefined && !fields?.[key]) errors.push(required(`${at}.${source}.${key}`));
    }
    return [...errors, ...validateSource(volume, at)];
  });
}

function validateSource(volume: VolumeFields, field: string): FieldError[] {
  const { emptyDir, hostPath, projected } = volume;
  const errors: FieldError[] = [];
  if (emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit).nano < 0n) {
    errors.push(forbidden(`${field}.emptyDir.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
  }
  if (hostPath) errors.push(...validateHostPath(hostPath, `${field}.hostPath`));
  for (const name of ['secret', 'configMap', 'downwardAPI', 'projected'] as const) {
    const source = volume[name];
    if (!source) continue;
    errors.push(...validateMode(source.defaultMode, `${field}.${name}.defaultMode`));
    if (name === 'secret' || name === 'configMap')
      errors.push(...validateItems(volume[name]?.items, `${field}.${name}`));
  }
  for (const [index, source] of (projected?.sources ?? []).entries()) {
    errors.push(...validateProjection(source, `${field}.projected.sources[${index}]`));
  }
  return errors;
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateHostPath(
  { path = '', type = '' }: NonNullable<VolumeFields['hostPath']>,
  field: string,
): FieldError[] {
  if (path === '') return [];
  const errors: FieldError[] = [];
  if (path.split('/').includes('..')) errors.push(invalid(`${field}.path`, path, "must not contain '..'"));
  if (!hostPathTypes.includes(type)) errors.push(notSupported(`${field}.type`, type, hostPathTypes));
  return errors;
}

function validateMode(mode: number | undefined, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

type Items = NonNullable<VolumeFields['configMap']>['items'];

function validateItems(items: Items, field: string): FieldError[] {
  return (items ?? []).flatMap(({ key = '', path = '', mode }, index) => {
    const at = `${field}.items[${index}]`;
    const errors: FieldError[] = [];
    if (key === '') errors.push(required(`${at}.key`));
    if (path === '') errors.push(required(`${at}.path`));
    if (path.startsWith('/')) errors.push(invalid(`${at}.path`, path, 'must be a relative path'));
    if (path.split('/').includes('..')) errors.push(invalid(`${at}.path`, path, "must not contain '..'"));
    return [...errors, ...validateMode(mode, `${at}.mode`)];
  });
}

const shortestTokenSeconds = 600;

type Projection = NonNullable<NonNullable<VolumeFields['projected']>['sources']>[number];

function validateProjection(source: Projection, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['secret', 'configMap'] as const) {
    const fields = source[name];
    if (!fields) continue;
    if (!fields.name) errors.push(required(`${field}.${name}.name`));
    errors.push(...validateItems(fields.items, `${field}.${name}`));
  }
  if (!source.serviceAccountToken) return errors;
  const { path = '', expirationSeconds } = source.serviceAccountToken;
  const at = `${field}.serviceAccountToken`;
  if (expirationSeconds !== undefined && expirationSeconds < shortestTokenSeconds) {
    const detail = 'may not specify a duration less than 10 minutes';
    errors.push(invalid(`${at}.expirationSeconds`, expirationSeconds, detail));
  }
  if (path === '') errors.push(required(`${at}.path`));
  return errors;
}
