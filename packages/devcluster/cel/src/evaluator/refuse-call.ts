import { doubleText } from '../library/numbers.js';
import { itemAt, noSuchIndex, noSuchKey } from '../library/operators.js';
import { type Failure, fail } from '../values/failure.js';
import { Duration, List, Timestamp, typeNameOf, Uint, type Value } from '../values/values.js';

/** What functions that Kubernetes finds by the first operand say of all others: nothing. */
const unnamed = new Set('startsWith endsWith contains matches !_ @in _?_:_ _[?_]'.split(' '));

const isNumber = (value: Value) => typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
const isText = (value: Value) => typeof value === 'string' || value instanceof Uint8Array;
const isTime = (value: Value) => value instanceof Duration || value instanceof Timestamp;
const isOrdered = (value: Value) => isNumber(value) || isText(value) || isTime(value) || typeof value === 'boolean';

/** Values that have methods of their own, which are asked before it is known that there is none. */
const isReceiver = (value: Value) => typeof value === 'string' || isTime(value);

/** Whether the first operand of an operator has that operator at all. */
const knowing: Readonly<Record<string, (value: Value) => boolean>> = {
  '_+_': (value) => isNumber(value) || isText(value) || isTime(value) || value instanceof List,
  '_-_': (value) => isNumber(value) || isTime(value),
  '_*_': isNumber,
  '_/_': isNumber,
  '_%_': (value) => isNumber(value) && typeof value !== 'number',
  '_<_': isOrdered,
  '_<=_': isOrdered,
  '_>_': isOrdered,
  '_>=_': isOrdered,
  '-_': (value) => typeof value === 'bigint' || typeof value === 'number',
  size: () => false,
};

/** Makes the answer of a call for arguments that no way to call takes. */
export function refuseCall(name: string): (values: readonly Value[]) => Value {
  if (name === '_[_]') return ([container = null, key = null]) => withoutKey(container, key);
  const isKnown = knowing[name];
  if (isKnown) {
    return ([first = null]) =>
      fail(isKnown(first) || isReceiver(first) ? 'no such overload' : `no such overload: ${name}`);
  }
  if (unnamed.has(name)) return () => fail('no such overload');
  return (values) => fail(`no such overload: ${name}(${values.map(typeNameOf).join(', ')})`);
}

/** What a key means to a value that has none of that type. */
function withoutKey(container: Value, key: Value): Value {
  if (!(container instanceof List)) return noSuchKey(key);
  if (key instanceof Uint) return itemAt(container, key.value);
  if (typeof key !== 'number') return noSuchIndex(key);
  if (!Number.isInteger(key)) return fail(`unsupported index value ${doubleText(key)} in list`);
  return itemAt(container, BigInt(key));
}

/** Says that a value has no elements, by the name that its type has in Kubernetes. */
export function notIterable(value: Value): Failure {
  const name = typeNameOf(value);
  const own = goNames[name] ?? name;
  return fail(`got '${own}', expected iterable type`);
}

const goNames: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  int: 'types.Int',
  uint: 'types.Uint',
  double: 'types.Double',
  string: 'types.String',
  bytes: 'types.Bytes',
  null_type: 'types.Null',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
  optional_type: '*types.Optional',
};
