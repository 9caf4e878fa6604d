import { stringifyJson } from '@slipway/kube';
import { isJsonObject } from '../json/json-value.js';
import { canonicalAmount, canonicalQuantity } from './canonical-quantity.js';
import { canonicalMicroTime, canonicalTime } from './canonical-time.js';
import { type Field, isStruct, type Message, type ScalarName } from './message-table.js';
import { fieldPath, UnmarshalError, unmarshalError, type ValuePosition } from './unmarshal-error.js';

type Json = Record<string, unknown>;

/** What is wrong with an object that could be read nevertheless. */
export interface Found {
  /** Paths of fields that its type does not have. */
  readonly unknown: string[];
  /** The first value that has the wrong JSON type. */
  mismatch?: UnmarshalError;
}

/** Beyond so many, Go's decoder no longer says which fields it does not know. */
const reported = 100;

/**
 * Brings a JSON object to the form that a round trip through the Go type gives it:
 * unknown fields go (their paths are added to `found`), empty optional fields
 * go, fields that are always written are there, leaf values are canonical.
 * Works in place.
 * @throws UnmarshalError, QuantityError, TimeError when a leaf cannot be read
 */
export function admitMessage(message: Message, object: Json, place: ValuePosition, found: Found): void {
  for (const name of Object.keys(object)) {
    const field = message.byName.get(name);
    if (!field) {
      if (message.typeMeta && (name === 'apiVersion' || name === 'kind')) continue;
      // Go reads what follows an opaque value with a decoder of its own, which does not report.
      if (found.unknown.length < reported && !isOpaque(place)) found.unknown.push(fieldPath(place, name));
      delete object[name];
      continue;
    }
    const value = admitOrNote(field, object[name], place, found);
    if (value === undefined) delete object[name];
    else if (value !== object[name]) object[name] = value;
  }
  for (const field of message.always) {
    if (object[field.name] === undefined) object[field.name] = emptyOf(field);
  }
}

function isOpaque(place: ValuePosition): boolean {
  for (let at: ValuePosition | undefined = place; at; at = at.outer) if (at.opaque) return true;
  return false;
}

/**
 * Whether a field says who owns the fields of the object as a whole: an empty list there wants to start over. That of a
 * custom resource, whose metadata is read by itself, says nothing.
 */
function isOfOwners(name: string, { step, outer }: ValuePosition): boolean {
  return name === 'managedFields' && step === 'metadata' && outer?.outer === undefined;
}

/** As `admitField`, but a value of the wrong JSON type is noted: what cannot be read further on has precedence, as in Go. */
function admitOrNote(field: Field, value: unknown, place: ValuePosition, found: Found): unknown {
  try {
    return admitField(field, value, place, found);
  } catch (error) {
    if (!(error instanceof UnmarshalError) || error.isFinal) throw error;
    found.mismatch ??= error;
    return value;
  }
}

/** Value to store, undefined for nothing. */
function admitField(field: Field, value: unknown, place: ValuePosition, found: Found): unknown {
  const { shape, name } = field;
  if (value === null) return field.omitzero || (field.omitempty && !isStruct(field)) ? undefined : emptyOf(field);
  if (shape === 'single') {
    const admitted = admitSingle(field, value, name, place, found);
    return field.omitempty && !field.pointer && isZero(field, admitted) ? undefined : admitted;
  }
  if (shape === 'list') {
    if (!Array.isArray(value)) throw unmarshalError(place, name, value, `[]${goType(field)}`);
    if (value.length === 0 && field.omitempty && !isOfOwners(name, place)) return undefined;
    const inside = { outer: place, step: name, named: true, type: place.type };
    for (const [index, element] of value.entries()) {
      const at = { outer: inside, step: index, named: false, type: place.type };
      const admitted = element === null ? emptyElement(field) : admitSingle(field, element, undefined, at, found);
      if (admitted !== element) value[index] = admitted;
    }
    return value;
  }
  if (!isJsonObject(value)) throw unmarshalError(place, name, value, goMap(field));
  const keys = Object.keys(value);
  if (keys.length === 0 && field.omitempty) return undefined;
  const inside = { outer: place, step: name, named: true, type: place.type };
  for (const key of keys) {
    const element = value[key];
    const at = { outer: inside, step: key, named: false, type: place.type };
    const admitted = element === null ? emptyElement(field) : admitSingle(field, element, undefined, at, found);
    if (admitted !== element) value[key] = admitted;
  }
  return value;
}

/**
 * @param name set when the value is a field of the object at `place`; otherwise `place` is that
 *   of the value itself, an element of a list or a map
 */
function admitSingle(
  field: Field,
  value: unknown,
  name: string | undefined,
  place: ValuePosition,
  found: Found,
): unknown {
  const { message, scalar } = field;
  if (scalar !== undefined) return admitScalar(scalar, value, name, place, field.facts.enum);
  const target = message as Message;
  if (target.encoding === 'quantity') {
    const isResource = field.shape === 'map' && place.type?.id?.startsWith('core.v1.');
    const text = typeof value === 'string' ? value.trim() : stringifyJson(value);
    return isResource ? canonicalAmount(text) : canonicalQuantity(text);
  }
  if (target.encoding !== undefined) return admitEncoded(target, value, name, place, found);
  if (!isJsonObject(value)) throw unmarshalError(place, name, value, target.goName);
  const at = name === undefined ? { ...place, type: target } : { outer: place, step: name, named: true, type: target };
  admitMessage(target, value, at, found);
  return value;
}

function admitScalar(
  scalar: ScalarName,
  value: unknown,
  name: string | undefined,
  place: ValuePosition,
  enumId: string | undefined,
): unknown {
  if (scalar === 'string') {
    if (typeof value === 'string') return value;
    throw unmarshalError(place, name, value, stringType(name, place, enumId), true);
  }
  if (scalar === 'bool') {
    if (typeof value === 'boolean') return value;
    throw unmarshalError(place, name, value, 'bool');
  }
  if (scalar === 'bytes') {
    if (typeof value !== 'string') throw unmarshalError(place, name, value, '[]uint8');
    return checkedBase64(value);
  }
  const type = scalar === 'double' ? 'float64' : scalar;
  if (typeof value === 'bigint') return admitLarge(scalar, value, name, place);
  if (typeof value !== 'number') throw unmarshalError(place, name, value, type);
  const limit = scalar === 'int32' ? 2 ** 31 : 2 ** 63;
  if (scalar !== 'double' && (!Number.isInteger(value) || value >= limit || value < -limit)) {
    throw unmarshalError(place, name, value, type);
  }
  return value;
}

/** Built-in kinds count with their integers, so they are numbers; those that would lose digits are not taken. */
function admitLarge(scalar: ScalarName, value: bigint, name: string | undefined, place: ValuePosition): number {
  if (scalar === 'double') return Number(value);
  if (scalar !== 'int64') throw unmarshalError(place, name, value, scalar);
  const where = name === undefined ? '' : ` at ${fieldPath(place, name)}`;
  throw new UnmarshalError(`the number ${value}${where} is beyond 2^53, up to which this server is exact there`);
}

function admitEncoded(
  target: Message,
  value: unknown,
  name: string | undefined,
  place: ValuePosition,
  found: Found,
): unknown {
  const text = (): string => {
    if (typeof value === 'string') return value;
    throw unmarshalError(place, name, value, 'string').final();
  };
  switch (target.encoding) {
    case 'time':
      return canonicalTime(text());
    case 'microTime':
      return canonicalMicroTime(text());
    case 'duration':
      return text();
    case 'intOrString':
      return typeof value === 'string' ? value : admitScalar('int32', value, name, place, undefined);
    case 'stringList': {
      if (!Array.isArray(value)) throw unmarshalError(place, name, value, target.goName);
      for (const element of value)
        if (typeof element !== 'string') throw unmarshalError(place, name, element, 'string');
      return value;
    }
    case 'schemaOrBool':
      if (typeof value === 'boolean') return value;
      if (!isJsonObject(value)) throw new UnmarshalError('boolean or JSON schema expected');
      return admitAlternatives(target, value, name, place, found);
    case 'schemaOrArray':
    case 'schemaOrStringArray':
      return typeof value === 'object' ? admitAlternatives(target, value, name, place, found) : null;
    default:
      return value;
  }
}

/** A value that is one message, a list of it, or a list of strings. */
function admitAlternatives(
  target: Message,
  value: unknown,
  name: string | undefined,
  place: ValuePosition,
  found: Found,
): unknown {
  const schema = target.fields.find((field) => field.message && field.shape === 'single');
  const inside = { outer: place, step: name, named: name !== undefined, type: place.type };
  const opaque = { outer: inside, step: undefined, named: false, type: place.type, opaque: true };
  if (isJsonObject(value)) return admitSingle(schema as Field, value, undefined, opaque, found);
  const list = value as unknown[];
  for (const [index, element] of list.entries()) {
    const at = { outer: opaque, step: index, named: false, type: place.type };
    list[index] =
      target.encoding === 'schemaOrStringArray'
        ? admitScalar('string', element, undefined, at, undefined)
        : admitSingle(schema as Field, element, undefined, at, found);
  }
  return list;
}

function isZero(field: Field, value: unknown): boolean {
  if (field.scalar !== undefined) return value === '' || value === 0 || value === false;
  if (field.message?.encoding === 'stringList') return (value as unknown[]).length === 0;
  return field.omitzero && value === null;
}

/** What Go writes for a field that was not given. */
function emptyOf(field: Field): unknown {
  if (field.pointer || field.shape !== 'single') return null;
  return emptyElement(field);
}

function emptyElement(field: Field): unknown {
  switch (field.scalar) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'bytes':
      return field.shape === 'map' ? '' : null;
    case undefined:
      break;
    default:
      return 0;
  }
  const target = field.message as Message;
  switch (target.encoding) {
    case undefined: {
      const object: Json = {};
      for (const inner of target.always) object[inner.name] = emptyOf(inner);
      return object;
    }
    case 'quantity':
      return '0';
    case 'intOrString':
      return 0;
    case 'duration':
      return '0s';
    default:
      return null;
  }
}

/** The element type of a field as Go's decoder names it. */
function goType({ scalar, message, facts }: Field): string {
  if (message) return message.goName;
  if (facts.enum !== undefined) return facts.enum.split('.').slice(-2).join('.');
  if (scalar === 'double') return 'float64';
  return scalar === 'bytes' ? '[]uint8' : (scalar as string);
}

/** The type of a map; that of amounts has a name. */
function goMap(field: Field): string {
  return field.message?.encoding === 'quantity' ? 'v1.ResourceList' : `map[string]${goType(field)}`;
}

function checkedBase64(text: string): string {
  const clean = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
  if (clean.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(clean)) return clean;
  const wrong = clean.search(/[^A-Za-z0-9+/]/);
  throw new UnmarshalError(
    `illegal base64 data at input byte ${wrong >= 0 ? wrong : clean.length - (clean.length % 4)}`,
  );
}

/** The Go type of a field that holds a string. */
function stringType(name: string | undefined, place: ValuePosition, enumId: string | undefined): string {
  if (enumId !== undefined) return enumId.split('.').slice(-2).join('.');
  if (name === 'propagationPolicy' && place.type.name === 'DeleteOptions') return 'v1.DeletionPropagation';
  return name === 'uid' && !plainUids.includes(place.type.name) ? 'types.UID' : 'string';
}

/** Types whose uid is one of a user, of any form. */
const plainUids: readonly string[] = ['UserInfo', 'SubjectAccessReviewSpec'];
