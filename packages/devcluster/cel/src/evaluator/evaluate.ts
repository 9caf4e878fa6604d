import type { Checked } from '../checker/check.js';
import { typeNames } from '../checker/named-types.js';
import { asDuration, asTimestamp, fieldOf, noSuchIndex } from '../library/operators.js';
import type { Overload } from '../library/overload.js';
import { type Call, type Node, qualifiedName } from '../parser/parse.js';
import { Failure, fail, type Meter } from '../values/failure.js';
import {
  List,
  MapValue,
  none,
  ObjectValue,
  Optional,
  sizeOf,
  TypeValue,
  typeNameOf,
  type Value,
} from '../values/values.js';
import { chooser } from './choose-overload.js';
import type { Frame, Preparer, Run, Slots } from './frame.js';
import { refuseCall } from './refuse-call.js';
import { runMacro } from './run-macro.js';

/** A checked expression, ready to run. */
export interface Program {
  /**
   * Evaluates; what goes wrong is given back as a Failure.
   * @throws OverBudgetError when it costs more than the meter has
   */
  run(values: readonly Value[], meter: Meter): Value;
}

/** Prepares a checked expression. @param names the variables, in the order in which `run` gets their values */
export function programOf(node: Node, checked: Checked, names: readonly string[]): Program {
  const prepare = new Preparation(checked);
  const run = prepare.node(node, new Map(names.map((name, index) => [name, index])));
  return { run: (values, meter) => run({ slots: [...values], meter }) };
}

/** Turns the parts of an expression into functions, so that nothing is looked up when it runs. */
class Preparation implements Preparer {
  readonly #overloads: Checked['overloads'];
  readonly #dynamic: Checked['dynamicCalls'];

  constructor({ overloads, dynamicCalls }: Pick<Checked, 'overloads' | 'dynamicCalls'>) {
    this.#overloads = overloads;
    this.#dynamic = dynamicCalls;
  }

  node(node: Node, slots: Slots): Run {
    switch (node.kind) {
      case 'literal': {
        const { value } = node;
        return () => value;
      }
      case 'name':
        return this.#name(node.name, slots);
      case 'select':
        return this.#select(node, slots);
      case 'has':
        return this.#has(node, slots);
      case 'call':
        return this.#call(node, slots);
      case 'list':
        return this.#list(node, slots);
      case 'map':
        return this.#map(node, slots);
      case 'struct':
        return this.#struct(node, slots);
      case 'macro':
        return runMacro(this, node, slots);
    }
  }

  #name(name: string, slots: Slots): Run {
    const slot = slots.get(name);
    if (slot === undefined) {
      const type = new TypeValue(typeNames.get(name)?.name === 'null' ? 'null_type' : name);
      return ({ meter }) => {
        meter.spend(1);
        return type;
      };
    }
    return ({ slots: values, meter }) => {
      meter.spend(1);
      return values[slot] as Value;
    };
  }

  #select(node: Extract<Node, { kind: 'select' }>, slots: Slots): Run {
    const name = qualifiedName(node);
    if (name !== undefined && slots.has(name)) return this.#name(name, slots);
    if (name !== undefined && !slots.has(name.split('.')[0] ?? '') && typeNames.has(name))
      return this.#name(name, slots);
    const of = this.node(node.of, slots);
    const { field, optional } = node;
    return (frame) => {
      const value = of(frame);
      if (value instanceof Failure) return value;
      frame.meter.spend(1);
      if (value instanceof Optional) return value.value === undefined ? none : optionalField(value.value, field);
      return optional ? optionalField(value, field) : fieldOf(value, field);
    };
  }

  #has({ of, field }: Extract<Node, { kind: 'has' }>, slots: Slots): Run {
    const operand = this.node(of, slots);
    return (frame) => {
      const given = operand(frame);
      if (given instanceof Failure) return given;
      const value = given instanceof Optional ? given.value : given;
      if (value === undefined) return false;
      if (value instanceof ObjectValue || value instanceof MapValue) return value.has(field);
      return value instanceof List ? noSuchIndex(field) : false;
    };
  }

  #call(node: Call, slots: Slots): Run {
    const logic = this.#logic(node, slots) ?? this.#alternative(node, slots);
    if (logic) return logic;
    const overloads = this.#overloads.get(node) ?? [];
    const [only] = overloads;
    const given = only?.isMethod && node.target ? [node.target, ...node.args] : node.args;
    const args = given.map((arg) => this.node(arg, slots));
    if (overloads.length === 1 && only && !this.#dynamic.has(node)) return callOf(only, args);
    const choose = chooser(overloads);
    const refuse = refuseCall(only?.name ?? node.name);
    return (frame) => {
      const values = valuesOf(args, frame);
      if (values instanceof Failure) return values;
      const one = choose(values);
      return one ? callWith(one, values, frame.meter) : refuse(values);
    };
  }

  #logic({ name, args }: Call, slots: Slots): Run | undefined {
    if (name !== '_&&_' && name !== '_||_' && name !== '_?_:_') return undefined;
    const [first, second, third] = args.map((arg) => this.node(arg, slots)) as [Run, Run, Run];
    if (name === '_?_:_') {
      return (frame) => {
        const condition = first(frame);
        if (condition instanceof Failure) return condition;
        if (typeof condition !== 'boolean') return fail('no such overload');
        return condition ? second(frame) : third(frame);
      };
    }
    const decides = name === '_||_';
    // The side that decides wins over a failure of the other.
    return (frame) => {
      const left = first(frame);
      if (left === decides) return left;
      const right = second(frame);
      if (right === decides) return right;
      if (left instanceof Failure) return left;
      if (right instanceof Failure) return right;
      return typeof left === 'boolean' && typeof right === 'boolean' ? !decides : fail('no such overload');
    };
  }

  /** `or` and `orValue` of an optional value: the other is only computed when it has none. */
  #alternative({ name, target, args: [other] }: Call, slots: Slots): Run | undefined {
    if ((name !== 'or' && name !== 'orValue') || !target || !other) return undefined;
    const first = this.node(target, slots);
    const second = this.node(other, slots);
    return (frame) => {
      const given = first(frame);
      if (given instanceof Failure) return given;
      if (!(given instanceof Optional)) return fail('no such overload');
      frame.meter.spend(1);
      if (given.value === undefined) return second(frame);
      return name === 'or' ? given : given.value;
    };
  }

  #list({ items }: Extract<Node, { kind: 'list' }>, slots: Slots): Run {
    const runs = items.map(({ value, optional }) => [this.node(value, slots), optional] as const);
    return (frame) => {
      frame.meter.spend(10);
      const values: Value[] = [];
      for (const [run, optional] of runs) {
        const value = unwrapped(run(frame), optional, 'list element');
        if (value instanceof Failure) return value;
        if (value !== undefined) values.push(value);
      }
      return new List(values);
    };
  }

  #map({ entries }: Extract<Node, { kind: 'map' }>, slots: Slots): Run {
    const runs = entries.map(
      ({ key, value, optional }) => [this.node(key, slots), this.node(value, slots), optional] as const,
    );
    return (frame) => {
      frame.meter.spend(30);
      const found: [Value, Value][] = [];
      for (const [keyRun, valueRun, optional] of runs) {
        const key = keyRun(frame);
        if (key instanceof Failure) return key;
        const value = unwrapped(valueRun(frame), optional, `entry '${shown(key)}'`);
        if (value instanceof Failure) return value;
        if (value !== undefined) found.push([key, value]);
      }
      // Of entries with one key the last is there.
      return new MapValue(found);
    };
  }

  #struct(node: Extract<Node, { kind: 'struct' }>, slots: Slots): Run {
    return typeNames.has(node.name) ? this.#time(node, slots) : this.#object(node, slots);
  }

  #object({ name, entries }: Extract<Node, { kind: 'struct' }>, slots: Slots): Run {
    const runs = entries.map(
      ({ key, value, optional }) =>
        [key.kind === 'literal' ? String(key.value) : '', this.node(value, slots), optional] as const,
    );
    return (frame) => {
      frame.meter.spend(40);
      const fields = new Map<string, () => Value>();
      for (const [field, run, optional] of runs) {
        const value = unwrapped(run(frame), optional, `field '${field}'`);
        if (value instanceof Failure) return value;
        if (value !== undefined) fields.set(field, () => value);
      }
      return new ObjectValue(name, fields);
    };
  }

  #time({ name, entries }: Extract<Node, { kind: 'struct' }>, slots: Slots): Run {
    const runs = entries.map(({ key, value }) => [key, this.node(value, slots)] as const);
    return (frame) => {
      frame.meter.spend(40);
      let nanos = 0n;
      for (const [key, run] of runs) {
        const value = run(frame);
        if (value instanceof Failure) return value;
        const unit = key.kind === 'literal' && key.value === 'seconds' ? 1_000_000_000n : 1n;
        nanos += (value as bigint) * unit;
      }
      return name === 'google.protobuf.Timestamp' ? asTimestamp(nanos) : asDuration(nanos);
    };
  }
}

function optionalField(value: Value, field: string): Optional {
  const found = value instanceof ObjectValue || value instanceof MapValue ? value.get(field) : undefined;
  return found === undefined ? none : new Optional(found);
}

/** The element of a literal; undefined for one that may be missing and is. */
function unwrapped(value: Value, optional: boolean, what: string): Value | undefined {
  if (!optional || value instanceof Failure) return value;
  if (value instanceof Optional) return value.value;
  return fail(`cannot initialize optional ${what} from non-optional value ${shown(value)}`);
}

function shown(value: Value): string {
  return typeof value === 'object' && value !== null ? typeNameOf(value) : String(value);
}

function valuesOf(args: readonly Run[], frame: Frame): Value[] | Failure {
  const values: Value[] = [];
  for (const arg of args) {
    const value = arg(frame);
    if (value instanceof Failure) return value;
    values.push(value);
  }
  return values;
}

function callOf(one: Overload, args: readonly Run[]): Run {
  const { two, cost } = one;
  if (!two) {
    return (frame) => {
      const values = valuesOf(args, frame);
      return values instanceof Failure ? values : callWith(one, values, frame.meter);
    };
  }
  const [first, second] = args as [Run, Run];
  return (frame) => {
    const left = first(frame);
    if (left instanceof Failure) return left;
    const right = second(frame);
    if (right instanceof Failure) return right;
    frame.meter.spend(cost ? Math.max(1, cost({ of: [sizeOf(left), sizeOf(right)], element: 0 })) : 1);
    return two(left, right, frame.meter);
  };
}

function callWith(one: Overload, values: readonly Value[], meter: Meter): Value {
  const { cost } = one;
  if (cost) {
    const [first, second] = values;
    const of = values.length === 2 ? [sizeOf(first as Value), sizeOf(second as Value)] : values.map(sizeOf);
    meter.spend(Math.max(1, cost({ of, element: elementSize(first) })));
  } else meter.spend(1);
  return one.call(values, meter);
}

function elementSize(value: Value | undefined): number {
  const first = value instanceof List ? value.items[0] : undefined;
  return first === undefined ? 0 : sizeOf(first);
}
