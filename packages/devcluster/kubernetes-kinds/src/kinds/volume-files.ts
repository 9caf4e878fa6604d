import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import type { VolumeFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateFieldReference, validateResourceReference } from './downward-reference.js';
import { validateLocalFile } from './path-rules.js';

/** Validates the mode of files: octal, as in `chmod`. */
export function validateMode(mode: number | undefined, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

type KeyFiles = NonNullable<VolumeFields['configMap'] & VolumeFields['secret']>;
type KeyFile = NonNullable<KeyFiles['items']>[number];

/** Validates the files that are made of keys. */
export function validateKeyFiles(
  { defaultMode, items }: Pick<KeyFiles, 'defaultMode' | 'items'>,
  field: string,
): FieldError[] {
  return [
    ...validateMode(defaultMode, `${field}.defaultMode`),
    ...(items ?? []).flatMap((item, index) => validateKeyFile(item, `${field}.items[${index}]`)),
  ];
}

/** Validates a key that becomes a file. */
export function validateKeyFile({ key = '', path = '', mode }: Partial<KeyFile>, field: string): FieldError[] {
  return [
    ...(key === '' ? [required(`${field}.key`)] : []),
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validateLocalFile(path, `${field}.path`),
    ...validateMode(mode, `${field}.mode`),
  ];
}

type DownwardFile = NonNullable<NonNullable<VolumeFields['downwardAPI']>['items']>[number];

/** Validates a file with a field of the pod. Its errors are at the volume, not at the file. */
export function validateDownwardFile(file: DownwardFile, field: string): FieldError[] {
  const { path = '', fieldRef, resourceFieldRef, mode } = file;
  const errors = path === '' ? [required(`${field}.path`)] : [];
  errors.push(...validateLocalFile(path, `${field}.path`));
  if (fieldRef) {
    errors.push(...validateFieldReference(fieldRef, 'volume', `${field}.fieldRef`));
    if (resourceFieldRef) {
      errors.push(invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resourceFieldRef) {
    errors.push(...validateResourceReference(resourceFieldRef, 'volume', `${field}.resourceFieldRef`));
  } else {
    errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...validateMode(mode, `${field}.mode`)];
}
