import type { CelType } from '../values/cel-type.js';
import type { Meter } from '../values/failure.js';
import type { Value } from '../values/values.js';

/** What the arguments of a call are worth when its cost is told: how long they are, and their elements. */
export interface Sizes {
  /** Lengths of the arguments, the receiver first; 2^64 where nothing bounds them. */
  readonly of: readonly number[];
  /** Length of the elements of the first argument. */
  readonly element: number;
  /** The arguments that are written down. */
  readonly literals?: readonly (Value | undefined)[];
}

/** One way to call a function. The receiver of a method is its first parameter. */
export interface Overload {
  readonly name: string;
  readonly isMethod: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** Gets no failures; what goes wrong is given back as a Failure. */
  readonly call: (args: readonly Value[], meter: Meter) => Value;
  /** The same for exactly two arguments: most of what loops do, and faster. */
  readonly two?: (a: Value, b: Value, meter: Meter) => Value;
  /** Units that a call costs at most; absent = 1. */
  readonly cost?: (sizes: Sizes) => number;
  /** How long the result is at most; absent = nothing bounds it. */
  readonly resultSize?: (sizes: Sizes) => number;
}

type Details = Pick<Overload, 'cost' | 'resultSize'>;

/** Declares a function: `overload('startsWith', 'string.(string): bool', ...)`; without a receiver `(string): int`. */
export function overload(name: string, signature: string, call: Overload['call'], details: Details = {}): Overload {
  const reader = new SignatureReader(signature);
  const receiver = signature.startsWith('(') ? undefined : reader.type();
  if (receiver) reader.skip('.');
  const params = reader.list();
  reader.skip(':');
  const result = reader.type();
  return {
    name,
    isMethod: receiver !== undefined,
    params: receiver ? [receiver, ...params] : params,
    result,
    call,
    ...details,
  };
}

/** Declares an operator with two sides. */
export function binary(
  name: string,
  signature: string,
  two: NonNullable<Overload['two']>,
  details: Details = {},
): Overload {
  const call: Overload['call'] = (args, meter) => two(args[0] as Value, args[1] as Value, meter);
  return { ...overload(name, signature, call, details), two };
}

class SignatureReader {
  readonly #words: string[];

  constructor(signature: string) {
    this.#words = signature.match(/[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*|[().,:]/g) ?? [];
  }

  skip(word: string): void {
    const found = this.#words.shift();
    if (found !== word) throw new TypeError(`a signature has ${found} where ${word} belongs`);
  }

  type(): CelType {
    const name = this.#words.shift() ?? '';
    if (/^[A-Z]$/.test(name)) return { name, params: [], isVariable: true };
    return { name, params: this.#words[0] === '(' ? this.list() : [] };
  }

  list(): CelType[] {
    this.skip('(');
    const types: CelType[] = [];
    while (this.#words[0] !== ')') {
      types.push(this.type());
      if (this.#words[0] === ',') this.skip(',');
    }
    this.skip(')');
    return types;
  }
}

/** Reading a text of this length from end to end. */
export function traversal(length: number): number {
  return Math.ceil(length / 10);
}

/** Functions that read their first argument. */
export const readsFirst: Details = { cost: ({ of: [length = 0] }) => traversal(length) };

/** Methods that read their argument. */
export const readsArgument: Details = { cost: ({ of: [, length = 0] }) => traversal(length) };
