import { sortFactor } from '../library/lists.js';
import type { Macro, Node } from '../parser/parse.js';
import {
  bool,
  type CelType,
  celType,
  dyn,
  errorType,
  int,
  isDynamic,
  listOf,
  mapOf,
  optionalOf,
  showType,
  string,
} from '../values/cel-type.js';
import { demandBool } from './check-call.js';
import { type Known, type PartChecker, shapeOfValues, sizeOfShape, type Variable } from './known.js';

const ordered = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'duration', 'timestamp']);

/** Checks a macro, which is a loop; its cost is that of the loop Kubernetes makes of it. */
export function checkMacro(checker: PartChecker, node: Macro): Known {
  if (node.name === 'optMap' || node.name === 'optFlatMap') return checkOptional(checker, node);
  const range = checker.check(node.target);
  const bound = variablesOf(checker, node, range);
  const [first, second] = node.args.map((arg) => checker.within(bound, arg)) as [Known, Known | undefined];
  const isFiltered = second !== undefined;
  const body = second ?? first;
  const loop = (init: number, each: number) => range.cost + init + 1 + times(range.size, each);
  const demand = (known: Known, operator: string, args: (condition: Known) => Known[]) => {
    if (!isBool(known.type)) checker.noOverload(node.at, operator, args(known));
  };

  switch (node.name) {
    case 'all':
    case 'exists': {
      demandBool(checker, first, (node.args[0] as Node).at);
      return { type: bool, size: 1, cost: loop(0, first.cost + (node.name === 'all' ? 3 : 4)) };
    }
    case 'exists_one':
    case 'existsOne': {
      const count: Known = { type: int, cost: 0, size: 1 };
      demand(first, '_?_:_', (given) => [given, count, count]);
      return { type: bool, size: 1, cost: loop(1, first.cost + 2) };
    }
    case 'filter': {
      const type =
        range.type.name === 'map'
          ? listOf(range.type.params[0] ?? dyn)
          : range.type.name === 'list'
            ? range.type
            : listOf(dyn);
      demand(first, '_?_:_', (given) => [given, { ...range, type }, { ...range, type }]);
      return {
        type,
        size: range.size,
        cost: loop(10, first.cost + 13),
        shape: range.type.name === 'list' ? range.shape : undefined,
      };
    }
    case 'map':
    case 'transformList': {
      const type = listOf(body.type);
      if (isFiltered) demand(first, '_?_:_', (given) => [given, { ...body, type }, { ...body, type }]);
      const cost = loop(10, body.cost + 12 + (isFiltered ? first.cost : 0));
      return { type, size: range.size, cost, entrySize: isFiltered ? undefined : body.size };
    }
    case 'transformMap':
    case 'transformMapEntry': {
      const key = range.type.name === 'list' ? int : (range.type.params[0] ?? dyn);
      const type =
        node.name === 'transformMap' ? mapOf(key, body.type) : isDynamic(body.type) ? mapOf(dyn, dyn) : body.type;
      if (isFiltered) demand(first, '_?_:_', (given) => [given, { ...body, type }, { ...body, type }]);
      if (type.name !== 'map')
        checker.noOverload(node.at, 'cel.@mapInsert', [{ ...body, type: mapOf(dyn, dyn) }, body]);
      return { type, size: range.size, cost: loop(30, body.cost + 33 + (isFiltered ? first.cost : 0)) };
    }
    default: {
      const isOrdered = isDynamic(first.type) || ordered.has(first.type.name);
      if (!isOrdered || range.type.name === 'map') {
        checker.noOverload(node.at, '@sortByAssociatedKeys', [range, { ...first, type: listOf(first.type) }], true);
      }
      const pairs = range.size * range.size;
      return {
        ...range,
        size: pairs,
        cost: loop(10, first.cost + 14) + Math.ceil(pairs * sortFactor(first.type.name)),
      };
    }
  }
}

function isBool(type: CelType): boolean {
  return isDynamic(type) || type.name === 'bool';
}

function times(count: number, each: number): number {
  return count === 0 || each === 0 ? 0 : count * each;
}

/** With one variable, elements of lists and keys of maps; with two, indexes or keys, and what is there. */
function variablesOf(checker: PartChecker, node: Macro, range: Known): [string, Variable][] {
  const { type, shape } = range;
  const isMap = type.name === 'map';
  if (type.name !== 'list' && !isMap && !isDynamic(type)) {
    const message = `expression of type '${showType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    checker.complain(node.target.at, message);
  }
  const known = type.name === 'list' || isMap;
  const other: CelType = type === errorType || !known ? (known ? dyn : type.name === 'dyn' ? dyn : errorType) : dyn;
  const key: Variable = isMap
    ? { type: type.params[0] ?? dyn, shape: shape ? keyShape : checker.self }
    : { type: known ? int : other };
  const value: Variable = {
    type: known ? ((isMap ? type.params[1] : type.params[0]) ?? dyn) : other,
    shape: shapeOfValues(range, checker.self),
  };
  const [first = '', second] = node.variables;
  if (second !== undefined) {
    return [
      [first, key],
      [second, value],
    ];
  }
  return [[first, isMap ? key : value]];
}

/** Keys of maps are not bounded by any schema, and count for nothing in Kubernetes. */
const keyShape = { type: string, maxSize: 0, minBytes: 2, read: (value: unknown) => value as string };

/** Kubernetes writes the receiver twice, to ask whether it has a value and for the value, and finds its faults twice. */
function checkOptional(checker: PartChecker, node: Macro): Known {
  const range = checker.checkTwice(node.target);
  const { type } = range;
  const isOptional = type.name === 'optional_type' || isDynamic(type);
  if (!isOptional) for (const name of ['hasValue', 'value']) checker.noOverload(node.at, name, [range], true);
  const given = type.name === 'optional_type' ? type.params[0] : undefined;
  const inner: Variable = { type: given ?? (isOptional ? dyn : errorType), shape: range.shape };
  const [name = ''] = node.variables;
  const body = checker.within([[name, inner]], node.args[0] as Macro['args'][number]);
  const isFlat = node.name === 'optFlatMap';
  if (isFlat && body.type.name !== 'optional_type' && !isDynamic(body.type)) {
    return checker.noOverload(node.at, '_?_:_', [
      { ...body, type: bool },
      body,
      { ...body, type: optionalOf(celType('dyn')) },
    ]);
  }
  const result = isFlat ? body.type : optionalOf(body.type);
  return { type: result, cost: range.cost * 2 + body.cost + 4, size: sizeOfShape(inner) };
}
