import { sorted } from '../library/lists.js';
import type { Macro } from '../parser/parse.js';
import { Failure, fail } from '../values/failure.js';
import { List, MapValue, none, Optional, type Value } from '../values/values.js';
import type { Frame, Preparer, Run, Slots } from './frame.js';
import { notIterable } from './refuse-call.js';

/** What a loop does with one turn: `undefined` goes on, a value ends it. */
type Turn = (frame: Frame, key: Value, value: Value) => Value | undefined;

/** Prepares a macro. Its variables get slots after those of the expression around it. */
export function runMacro(preparation: Preparer, node: Macro, slots: Slots): Run {
  const range = preparation.node(node.target, slots);
  const first = Math.max(-1, ...slots.values()) + 1;
  const inner = new Map([...slots, ...node.variables.map((name, index) => [name, first + index] as const)]);
  const [one, two] = node.args.map((arg) => preparation.node(arg, inner)) as [Run, Run | undefined];
  const loop = loopOver(range, first, node.variables.length === 2);

  switch (node.name) {
    case 'all':
      return quantified(loop, one, false, 3);
    case 'exists':
      return quantified(loop, one, true, 4);
    case 'exists_one':
    case 'existsOne':
      return counted(loop, one);
    case 'filter':
      return collected(loop, one, undefined, first);
    case 'map':
    case 'transformList':
      return two ? collected(loop, one, two, first) : collected(loop, undefined, one, first);
    case 'transformMap':
    case 'transformMapEntry':
      return mapped(loop, two ? one : undefined, two ?? one, node.name === 'transformMapEntry');
    case 'sortBy':
      return sortedBy(loop, one);
    default:
      return optional(range, one, first, node.name === 'optFlatMap');
  }
}

type Loop = (frame: Frame, turn: Turn) => Value | undefined;

function loopOver(range: Run, slot: number, isPair: boolean): Loop {
  return (frame, turn) => {
    const over = range(frame);
    if (over instanceof Failure) return over;
    const { slots } = frame;
    if (over instanceof List) {
      const { items } = over;
      for (let index = 0; index < items.length; index++) {
        const item = items[index] as Value;
        slots[slot] = isPair ? BigInt(index) : item;
        if (isPair) slots[slot + 1] = item;
        const ended = turn(frame, isPair ? (slots[slot] as Value) : item, item);
        if (ended !== undefined) return ended;
      }
      return undefined;
    }
    if (!(over instanceof MapValue)) return notIterable(over);
    for (const [key, value] of over.entries()) {
      slots[slot] = key;
      if (isPair) slots[slot + 1] = value;
      const ended = turn(frame, key, value);
      if (ended !== undefined) return ended;
    }
    return undefined;
  };
}

/** A turn that decides wins over failures of others. */
function quantified(loop: Loop, predicate: Run, decides: boolean, each: number): Run {
  return (frame) => {
    let failure: Failure | undefined;
    const ended = loop(frame, (inner) => {
      inner.meter.spend(each);
      const holds = predicate(inner);
      if (holds === decides) return holds;
      if (typeof holds !== 'boolean') failure ??= holds instanceof Failure ? holds : fail('no such overload');
      return undefined;
    });
    return ended ?? failure ?? !decides;
  };
}

function counted(loop: Loop, predicate: Run): Run {
  return (frame) => {
    let count = 0;
    const ended = loop(frame, (inner) => {
      inner.meter.spend(2);
      const holds = predicate(inner);
      if (typeof holds !== 'boolean') return holds instanceof Failure ? holds : fail('no such overload');
      if (holds) count++;
      return undefined;
    });
    return ended ?? count === 1;
  };
}

/** Elements that pass; without `make`, the element itself. */
function collected(loop: Loop, keep: Run | undefined, make: Run | undefined, slot: number): Run {
  return (frame) => {
    const items: Value[] = [];
    const ended = loop(frame, (inner) => {
      inner.meter.spend(12);
      const kept = keep ? keep(inner) : true;
      if (typeof kept !== 'boolean') return kept instanceof Failure ? kept : fail('no such overload');
      if (!kept) return undefined;
      const item = make ? make(inner) : (inner.slots[slot] as Value);
      if (item instanceof Failure) return item;
      items.push(item);
      return undefined;
    });
    return ended ?? new List(items);
  };
}

function mapped(loop: Loop, keep: Run | undefined, make: Run, isEntry: boolean): Run {
  return (frame) => {
    const entries: (readonly [Value, Value])[] = [];
    const ended = loop(frame, (inner, key) => {
      inner.meter.spend(33);
      const kept = keep ? keep(inner) : true;
      if (typeof kept !== 'boolean') return kept instanceof Failure ? kept : fail('no such overload');
      if (!kept) return undefined;
      const value = make(inner);
      if (value instanceof Failure) return value;
      if (!isEntry) entries.push([key, value]);
      else if (value instanceof MapValue) entries.push(...value.entries());
      else return fail('no such overload');
      return undefined;
    });
    if (ended !== undefined) return ended;
    const map = new MapValue(entries);
    return map.size === entries.length ? map : fail('insert failed: key already exists');
  };
}

function sortedBy(loop: Loop, keyOf: Run): Run {
  return (frame) => {
    const items: Value[] = [];
    const keys: Value[] = [];
    const ended = loop(frame, (inner, _, item) => {
      inner.meter.spend(14);
      const key = keyOf(inner);
      if (key instanceof Failure) return key;
      items.push(item);
      keys.push(key);
      return undefined;
    });
    return ended ?? sorted(items, frame.meter, keys);
  };
}

function optional(range: Run, make: Run, slot: number, isFlat: boolean): Run {
  return (frame) => {
    const given = range(frame);
    if (given instanceof Failure) return given;
    if (!(given instanceof Optional)) return fail('no such overload');
    if (given.value === undefined) return none;
    frame.slots[slot] = given.value;
    const value = make(frame);
    return isFlat || value instanceof Failure ? value : new Optional(value);
  };
}
