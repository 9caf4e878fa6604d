import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { invalid } from '@slipway/api-machinery/errors/status-errors';
import type { Query } from './query.js';

/** How a write treats fields that the kind does not have, and fields given twice. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
}

/** How an apply is meant: `force` takes fields from whoever owns them. */
export interface ApplyOptions extends WriteOptions {
  readonly force: boolean;
}

/**
 * Reads dryRun, fieldManager and fieldValidation. `kind` is the name that
 * complaints go by, such as `CreateOptions`.
 *
 * @throws StatusError Invalid.
 */
export function readWriteOptions(query: Query, kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'): WriteOptions {
  const errors: FieldError[] = [];
  if (kind === 'PatchOptions' && query.get('force') !== undefined) {
    errors.push({ type: 'Forbidden', field: 'force', detail: 'may not be specified for non-apply patch' });
  }
  return readCommon(query, kind, errors);
}

/**
 * Reads the options of an apply, which must say who applies.
 *
 * @throws StatusError Invalid.
 */
export function readApplyOptions(query: Query): ApplyOptions {
  const errors: FieldError[] = [];
  if (!query.get('fieldManager')) {
    errors.push({ type: 'Required', field: 'fieldManager', detail: 'is required for apply patch' });
  }
  return { ...readCommon(query, 'PatchOptions', errors), force: query.flag('force') };
}

function readCommon(query: Query, kind: string, errors: FieldError[]): WriteOptions {
  const fieldManager = query.get('fieldManager') ?? '';
  errors.push(...fieldManagerProblems(fieldManager));
  const dryRun = query.all('dryRun');
  errors.push(...dryRunProblems(dryRun));
  const validation = query.get('fieldValidation') ?? '';
  if (!fieldValidations.includes(validation)) {
    const detail = 'supported values: "", "Ignore", "Strict", "Warn"';
    errors.push({ type: 'NotSupported', field: 'fieldValidation', value: validation, detail });
  }
  if (errors.length > 0) throw invalid(kind, 'meta.k8s.io', '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: validation === '' ? 'Warn' : (validation as FieldValidation),
    fieldManager,
  };
}

const fieldValidations: readonly string[] = ['', 'Ignore', 'Warn', 'Strict'];

/** `All` is the only value. */
export function dryRunProblems(dryRun: readonly string[]): FieldError[] {
  if (dryRun.every((value) => value === 'All')) return [];
  return [{ type: 'NotSupported', field: 'dryRun', value: dryRun, detail: 'supported values: "All"' }];
}

function fieldManagerProblems(name: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(name) > 128) {
    errors.push({ type: 'TooLong', field: 'fieldManager', detail: 'may not be more than 128 bytes' });
  }
  if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(name)) {
    const detail = 'should only contain printable characters';
    errors.push({ type: 'Invalid', field: 'fieldManager', value: name, detail });
  }
  return errors;
}
