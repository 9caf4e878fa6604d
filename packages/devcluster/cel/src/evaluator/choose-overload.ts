import type { Overload } from '../library/overload.js';
import { fits, isDynamic, nullType } from '../values/cel-type.js';
import { celTypeOf } from '../values/type-of-value.js';
import { Duration, List, MapValue, Timestamp, Uint, type Value } from '../values/values.js';

/**
 * Chooses the way to call for arguments whose types are only known when they are there. What was chosen is
 * remembered by the kinds of the arguments, since loops call with the same kinds again and again.
 */
export function chooser(overloads: readonly Overload[]): (values: readonly Value[]) => Overload | undefined {
  const known = new Map<number, Overload | undefined>();
  return (values) => {
    const kinds = kindsOf(values);
    if (kinds === undefined) return choose(overloads, values);
    if (known.has(kinds)) return known.get(kinds);
    const chosen = choose(overloads, values);
    known.set(kinds, chosen);
    return chosen;
  };
}

function choose(overloads: readonly Overload[], values: readonly Value[]): Overload | undefined {
  const types = values.map(celTypeOf);
  // Values of several types may be equal, so variables of a signature bind nothing here.
  return overloads.find(({ params }) =>
    params.every((param, index) => {
      const type = types[index] ?? nullType;
      // Null may stand for a value of many types when it is checked, but has none of their methods.
      return type === nullType && !param.isVariable ? isDynamic(param) : fits(param, type, new Map());
    }),
  );
}

/** How many kinds there are that say all about the type of a value. */
const kindCount = 32;

/** The kinds of all values as one number; undefined when there is more to say about one of them. */
function kindsOf(values: readonly Value[]): number | undefined {
  let all = 1;
  for (const value of values) {
    const kind = kindOf(value);
    if (kind === undefined) return undefined;
    all = all * kindCount + kind;
  }
  return all;
}

function kindOf(value: Value): number | undefined {
  if (!(value instanceof List)) return plainKindOf(value);
  const [first] = value.items;
  if (first === undefined) return 15;
  const kind = plainKindOf(first);
  return kind === undefined ? undefined : 16 + kind;
}

function plainKindOf(value: Value): number | undefined {
  switch (typeof value) {
    case 'string':
      return 0;
    case 'bigint':
      return 1;
    case 'boolean':
      return 2;
    case 'number':
      return 3;
    default:
  }
  if (value === null) return 4;
  if (value instanceof MapValue) return 5;
  if (value instanceof Uint) return 6;
  if (value instanceof Uint8Array) return 7;
  if (value instanceof Duration) return 8;
  return value instanceof Timestamp ? 9 : undefined;
}
