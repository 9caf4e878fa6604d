import type { Node } from '../parser/parse.js';
import {
  type CelType,
  commonType,
  dyn,
  errorType,
  fits,
  isDynamic,
  joinedType,
  listOf,
  mapOf,
  showType,
} from '../values/cel-type.js';
import { type Known, type PartChecker, totalCost } from './known.js';
import type { Structs } from './named-types.js';

/** Checks a list literal. */
export function checkList(checker: PartChecker, { items }: Extract<Node, { kind: 'list' }>): Known {
  const known = items.map(({ value, optional }) => element(checker, value, optional));
  const type = listOf(
    commonElementType(
      checker,
      known,
      items.map(({ value }) => value.at),
    ),
  );
  return { type, cost: 10 + totalCost(known), size: items.length, entrySize: largest(known) };
}

/** Checks a map literal. */
export function checkMap(checker: PartChecker, { entries }: Extract<Node, { kind: 'map' }>): Known {
  const keys = entries.map(({ key }) => checker.check(key));
  const values = entries.map(({ value, optional }) => element(checker, value, optional));
  const key = commonElementType(
    checker,
    keys,
    entries.map((entry) => entry.key.at),
  );
  const value = commonElementType(
    checker,
    values,
    entries.map((entry) => entry.value.at),
  );
  const cost = 30 + totalCost(keys) + totalCost(values);
  return { type: mapOf(key, value), cost, size: entries.length, entrySize: largest(values) };
}

function largest(values: readonly Known[]): number {
  return Math.max(0, ...values.map(({ size }) => size));
}

/** Checks an element; an optional one has the type of the value it may hold. */
function element(checker: PartChecker, node: Node, optional: boolean): Known {
  const known = checker.check(node);
  if (!optional || isDynamic(known.type)) return known;
  if (known.type.name === 'optional_type') return { ...known, type: known.type.params[0] ?? dyn };
  const shown = showType(known.type);
  checker.complain(node.at, `expected type 'optional_type(${shown})' but found '${shown}'`);
  return known;
}

/** The elements of a literal must be of one type, except in arguments of `format`. */
function commonElementType(checker: PartChecker, known: readonly Known[], at: readonly number[]): CelType {
  const types = known.map(({ type }) => type);
  const common = commonType(types);
  const [first] = types;
  const odd = types.findIndex((type) => first && !joinedType(first, type));
  const isLost = types.includes(errorType);
  if (odd > 0 && first && !isLost && !checker.isInFormat) {
    const message = `expected type '${showType(first)}' but found '${showType(types[odd] ?? dyn)}'`;
    checker.literals.push({ at: at[odd] ?? 0, message });
  }
  return common;
}

/** Checks a struct literal, of a type that `structs` knows. */
export function checkStruct(
  checker: PartChecker,
  { name, entries, at }: Extract<Node, { kind: 'struct' }>,
  structs: Structs,
): Known {
  const struct = structs(name);
  const known = entries.map(({ value, optional }) => element(checker, value, optional));
  if (!struct) return checker.undeclared(at, name);
  for (const [index, { key, at: where }] of entries.entries()) {
    const field = key.kind === 'literal' ? String(key.value) : '';
    const declared = struct.field(field);
    const given = known[index]?.type ?? dyn;
    if (!declared) checker.complain(where, `undefined field '${field}'`);
    else if (!fits(declared, given, new Map())) {
      const types = `'${showType(declared)}' but provided type is '${showType(given)}'`;
      checker.complain(where, `expected type of field '${field}' is ${types}`);
    }
  }
  return { type: struct.type, cost: 40 + totalCost(known), size: 1 };
}
