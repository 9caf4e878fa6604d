import { fail, type Meter } from '../values/failure.js';
import { compareValues, sameValue } from '../values/same-value.js';
import { Duration, List, Optional, sizeOf, Uint, type Value } from '../values/values.js';
import { asDuration, asInt, asUint } from './operators.js';
import { type Overload, overload, type Sizes, traversal } from './overload.js';

const ordered = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'duration', 'timestamp'];
const summed: readonly [string, Value][] = [
  ['int', 0n],
  ['uint', new Uint(0n)],
  ['double', 0],
  ['duration', new Duration(0n)],
];

const walks = { cost: ({ of: [list = 0], element }: Sizes) => list * (1 + traversal(element)) };
/** A call that makes a list. */
const newList = 11;
const copies = { cost: ({ of: [list = 0] }: Sizes) => list + newList, resultSize: ({ of: [list = 0] }: Sizes) => list };
/** Kubernetes takes the comparisons for elements of the result, too. */
const compares = (each: number) => ({
  cost: ({ of: [list = 0] }: Sizes) => Math.ceil(list * list * each) + newList,
  resultSize: ({ of: [list = 0] }: Sizes) => list * list,
});
const pairs = { cost: ({ of: [a = 0, b = 0] }: Sizes) => a * b };
const bothWays = { cost: ({ of: [a = 0, b = 0] }: Sizes) => a * b * 2 };

/** Lists: what Kubernetes adds, what the language offers on top, and lists as sets. */
export const lists = (): readonly Overload[] => [
  ...ordered.flatMap((type) => [
    overload('isSorted', `list(${type}).(): bool`, ([list]) => isSorted((list as List).items), walks),
    overload('min', `list(${type}).(): ${type}`, ([list]) => extreme('min', (list as List).items, -1), walks),
    overload('max', `list(${type}).(): ${type}`, ([list]) => extreme('max', (list as List).items, 1), walks),
    overload(
      'sort',
      `list(${type}).(): list(${type})`,
      ([list], meter) => sorted((list as List).items, meter),
      compares(sortFactor(type)),
    ),
  ]),
  ...summed.map(([type, zero]) =>
    overload('sum', `list(${type}).(): ${type}`, ([list]) => (list as List).items.reduce(plus, zero), walks),
  ),
  overload(
    'indexOf',
    'list(T).(T): int',
    ([list, item], meter) => BigInt((list as List).items.findIndex((other) => counted(item as Value, other, meter))),
    walks,
  ),
  overload(
    'lastIndexOf',
    'list(T).(T): int',
    ([list, item], meter) =>
      BigInt((list as List).items.findLastIndex((other) => counted(item as Value, other, meter))),
    walks,
  ),
  overload(
    'slice',
    'list(T).(int, int): list(T)',
    ([list, from, to]) => slice(list as List, from as bigint, to as bigint),
    copies,
  ),
  overload('flatten', 'list(list(T)).(): list(T)', ([list], meter) => flattened(list as List, 1, meter), copies),
  overload(
    'flatten',
    'list(dyn).(int): list(dyn)',
    ([list, depth], meter) =>
      (depth as bigint) < 0n
        ? fail('level must be non-negative')
        : flattened(list as List, Math.min(100, Number(depth)), meter),
    walks,
  ),
  overload('lists.range', '(int): list(int)', ([count], meter) => {
    meter.spend(Number(count));
    return new List(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));
  }),
  overload('first', 'list(T).(): optional_type(T)', ([list]) => new Optional((list as List).items[0])),
  overload('last', 'list(T).(): optional_type(T)', ([list]) => new Optional((list as List).items.at(-1))),
  overload('distinct', 'list(T).(): list(T)', ([list], meter) => distinct(list as List, meter), compares(2)),
  overload('reverse', 'list(T).(): list(T)', ([list]) => new List([...(list as List).items].reverse()), copies),
  overload(
    'sets.contains',
    '(list(T), list(T)): bool',
    ([a, b], meter) => contains(a as List, b as List, meter),
    pairs,
  ),
  overload(
    'sets.equivalent',
    '(list(T), list(T)): bool',
    ([a, b], meter) => contains(a as List, b as List, meter) && contains(b as List, a as List, meter),
    bothWays,
  ),
  overload(
    'sets.intersects',
    '(list(T), list(T)): bool',
    ([a, b], meter) => (a as List).items.some((item) => (b as List).items.some((other) => counted(item, other, meter))),
    pairs,
  ),
];

/** Returns the units that Kubernetes estimates for each pair of elements of a sorted list, by the type that they are compared by. */
export function sortFactor(type: string): number {
  return type === 'string' || type === 'bytes' ? 2.1 : 2;
}

/** Whether two elements are equal; pays for long ones. */
function counted(a: Value, b: Value, meter: Meter): boolean {
  meter.spend(Math.min(sizeOf(a), sizeOf(b)) / 10);
  return sameValue(a, b, meter);
}

function contains(all: List, some: List, meter: Meter): boolean {
  return some.items.every((item) => all.items.some((other) => counted(item, other, meter)));
}

function isSorted(items: readonly Value[]): boolean {
  return items.every((item, index) => index === 0 || !((compareValues(items[index - 1] as Value, item) ?? 0) > 0));
}

function extreme(name: string, items: readonly Value[], sign: -1 | 1): Value {
  const [first, ...others] = items;
  if (first === undefined) return fail(`${name} called on empty list`);
  return others.reduce((best, item) => ((compareValues(item, best) ?? 0) * sign > 0 ? item : best), first);
}

/** Elements in order; equal ones keep theirs. */
export function sorted(items: readonly Value[], meter: Meter, keys: readonly Value[] = items): List {
  meter.spend(items.length);
  const indexes = items.map((_, index) => index);
  indexes.sort((a, b) => compareValues(keys[a] as Value, keys[b] as Value) ?? 0);
  return new List(indexes.map((index) => items[index] as Value));
}

function plus(total: Value, item: Value): Value {
  if (typeof total === 'bigint') return asInt(total + (item as bigint));
  if (typeof total === 'number') return total + (item as number);
  if (total instanceof Uint) return asUint(total.value + (item as Uint).value);
  return total instanceof Duration ? asDuration(total.nanos + (item as Duration).nanos) : total;
}

function slice({ items }: List, from: bigint, to: bigint): Value {
  if (from < 0n || to < 0n) return fail(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to) return fail(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > BigInt(items.length)) return fail(`cannot slice(${from}, ${to}), list is length ${items.length}`);
  return new List(items.slice(Number(from), Number(to)));
}

function flattened({ items }: List, depth: number, meter: Meter): List {
  meter.spend(items.length);
  return new List(
    items.flatMap((item) => (item instanceof List && depth > 0 ? flattened(item, depth - 1, meter).items : [item])),
  );
}

function distinct({ items }: List, meter: Meter): List {
  const kept: Value[] = [];
  for (const item of items) {
    meter.spend(kept.length / 10);
    if (!kept.some((other) => sameValue(item, other, meter))) kept.push(item);
  }
  return new List(kept);
}
