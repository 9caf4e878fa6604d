import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';

/** A count, or a share such as `25%`. */
export type IntOrPercentField = number | string;

const percentRule =
  "a valid percent string must be a numeric string followed by an ending '%' " +
  "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Validates a value that is a number of pods or a percentage of them. */
export function validateIntOrPercent(value: IntOrPercentField, field: string): FieldError[] {
  if (typeof value === 'number') return value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
  return /^[0-9]+%$/.test(value) ? [] : [invalid(field, value, percentRule)];
}

/** Nothing can be more unavailable than everything. */
export function validateAtMostAll(value: IntOrPercentField, field: string): FieldError[] {
  return percentOf(value) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** Whether a value stands for no pods, however many there are. */
export function isZero(value: IntOrPercentField): boolean {
  return typeof value === 'number' ? value === 0 : /^0+%$/.test(value);
}

function percentOf(value: IntOrPercentField): number {
  return typeof value === 'string' && /^[0-9]+%$/.test(value) ? Number.parseInt(value, 10) : 0;
}
