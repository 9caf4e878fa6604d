import { UnmarshalError } from '@slipway/api-machinery/schema/unmarshal-error';

/**
 * Puts the error of a decoder about a value of another type in the words that Kubernetes has where it converts what is
 * decoded already: after an apply and a strategic merge.
 *
 * @param cause of the error, as the decoder threw it
 */
export function inConversion(why: string, cause: unknown): string {
  if (!(cause instanceof UnmarshalError) || !cause.misfit) return why;
  const { value, type, isString } = cause.misfit;
  const given = kindOf(value);
  if (cause.isFinal) return `json: cannot unmarshal ${jsonKinds[given] ?? given} into Go value of type ${type}`;
  if (/^u?int\d*$/.test(type))
    return given === 'float64' ? `cannot convert float64 to ${type}` : `unrecognized type: ${type}`;
  if (/^(?:bool|float64)$/.test(type)) return `unrecognized type: ${type}`;
  if (type.startsWith('[]')) return `cannot restore slice from ${given}`;
  if (type.startsWith('map[') || type === 'v1.ResourceList') return `cannot restore map from ${given}`;
  if (isString) return given === 'int64' ? `cannot convert int64 to ${type}` : 'unrecognized type: string';
  return `cannot restore struct from: ${given}`;
}

/** The kind that Go has of a decoded JSON value. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'int64' : 'float64';
  return typeof value === 'string' ? 'string' : 'map';
}

const jsonKinds: Readonly<Record<string, string>> = {
  slice: 'array',
  int64: 'number',
  float64: 'number',
  map: 'object',
};
