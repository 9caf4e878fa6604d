import type { Value } from '../values/values.js';
import { macroArity } from './macros.js';
import { CelSyntaxError } from './syntax-error.js';
import { readNumber, type Token, tokensOf } from './tokens.js';

/** A part of an expression; `at` is where complaints about it point. */
export type Node =
  | { readonly kind: 'literal'; readonly at: number; readonly value: Value }
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | {
      readonly kind: 'select';
      readonly at: number;
      readonly of: Node;
      readonly field: string;
      readonly optional: boolean;
    }
  /** `has(of.field)` */
  | { readonly kind: 'has'; readonly at: number; readonly of: Node; readonly field: string }
  | Call
  | {
      readonly kind: 'list';
      readonly at: number;
      readonly items: readonly { readonly value: Node; readonly optional: boolean }[];
    }
  | { readonly kind: 'map'; readonly at: number; readonly entries: readonly Entry[] }
  | { readonly kind: 'struct'; readonly at: number; readonly name: string; readonly entries: readonly Entry[] }
  | Macro;

/** A function or an operator; operators have names such as `_+_`. */
export interface Call {
  readonly kind: 'call';
  readonly at: number;
  readonly name: string;
  readonly target?: Node;
  readonly args: readonly Node[];
}

/** A macro that binds variables: `target.all(x, ...)`. */
export interface Macro {
  readonly kind: 'macro';
  readonly at: number;
  readonly name: string;
  readonly target: Node;
  readonly variables: readonly string[];
  readonly args: readonly Node[];
}

interface Entry {
  readonly at: number;
  readonly key: Node;
  readonly value: Node;
  readonly optional: boolean;
}

/** More than any rule needs, and less than what makes the parser run out of stack. */
const maxDepth = 100;
const maxSteps = 250;
const maxLength = 100_000;
const maxWords = 20_000;

/** Reads an expression; `call` is what a call of a method stands for. @throws CelSyntaxError */
export function parse(source: string, call = methodCall): Node {
  if (source.length > maxLength) {
    throw new CelSyntaxError(0, `expression code point size exceeds limit: size: ${source.length}, limit ${maxLength}`);
  }
  const tokens = tokensOf(source);
  const { length } = tokens;
  if (length > maxWords) throw new CelSyntaxError(0, `expression is too long: ${length} words, limit ${maxWords}`);
  const parser = new Parser(tokens, call);
  const node = parser.expression();
  parser.end();
  return node;
}

const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

const binding: ReadonlyMap<string, number> = new Map([
  ['||', 1],
  ['&&', 2],
  ...['==', '!=', '<', '<=', '>', '>=', 'in'].map((sign) => [sign, 3] as const),
  ...['+', '-'].map((sign) => [sign, 4] as const),
  ...['*', '/', '%'].map((sign) => [sign, 5] as const),
]);

function tooDeep(at: number): CelSyntaxError {
  return new CelSyntaxError(at, `expression recursion limit exceeded: ${maxDepth}`);
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #call: typeof methodCall;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], call: typeof methodCall) {
    this.#tokens = tokens;
    this.#call = call;
  }

  end(): void {
    if (this.#token.kind !== 'end') this.#unexpected('<EOF>');
  }

  expression(): Node {
    if (++this.#depth > maxDepth) throw tooDeep(this.#token.at);
    const condition = this.#binary(1);
    this.#depth--;
    const question = this.#take('?');
    if (!question) return condition;
    const then = this.#binary(1);
    this.#expect(':');
    return { kind: 'call', at: question.at, name: '_?_:_', args: [condition, then, this.expression()] };
  }

  /** Operators that bind at least as tightly as `least`, from the left. */
  #binary(least: number): Node {
    let left = this.#unary();
    for (let steps = 0; ; steps++) {
      const { kind, text, at } = this.#token;
      const binds = kind === 'sign' || text === 'in' ? (binding.get(text) ?? 0) : 0;
      if (binds < least || kind === 'literal') return left;
      // Chains lean to the left, so their length is the depth of the tree.
      if (steps > maxSteps) throw tooDeep(at);
      this.#next++;
      left = { kind: 'call', at, name: text === 'in' ? '@in' : `_${text}_`, args: [left, this.#binary(binds + 1)] };
    }
  }

  #unary(): Node {
    const signs: Token[] = [];
    for (;;) {
      const token = this.#take('!') ?? this.#take('-');
      if (!token) break;
      if (signs.length > 0 && signs[0]?.text !== token.text) this.#unexpected(primaries);
      signs.push(token);
    }
    const [first] = signs;
    if (!first) return this.#member(this.#primary());
    const literal = this.#token;
    const isNumber = literal.kind === 'literal' && literal.value === undefined;
    if (first.text === '-' && signs.length === 1 && isNumber) {
      this.#next++;
      return this.#member({ kind: 'literal', at: first.at, value: readNumber(literal, true, first.at) });
    }
    const operand = this.#member(this.#primary());
    if (signs.length % 2 === 0) return operand;
    return { kind: 'call', at: first.at, name: `${first.text}_`, args: [operand] };
  }

  #member(start: Node): Node {
    let node = start;
    for (let steps = 0; ; steps++) {
      if (steps > maxSteps) throw tooDeep(this.#token.at);
      const dot = this.#take('.');
      const bracket = dot ? undefined : this.#take('[');
      const brace = dot || bracket || this.#token.text !== '{' ? undefined : qualifiedName(node);
      if (dot) node = this.#selected(node, dot);
      else if (bracket) {
        const optional = this.#take('?') !== undefined;
        const index = this.expression();
        this.#expect(']');
        node = { kind: 'call', at: bracket.at, name: optional ? '_[?_]' : '_[_]', args: [node, index] };
      } else if (brace !== undefined && this.#token.kind === 'sign') {
        const { at } = this.#token;
        this.#next++;
        node = { kind: 'struct', at, name: brace, entries: this.#entries(true) };
      } else return node;
    }
  }

  #selected(of: Node, dot: Token): Node {
    const optional = this.#take('?') !== undefined;
    const name = this.#identifier();
    const open = this.#take('(');
    if (!open) return { kind: 'select', at: dot.at, of, field: name.text, optional };
    const args = this.#arguments();
    return this.#call(of, name.text, args, open.at);
  }

  #primary(): Node {
    const token = this.#token;
    if (token.kind === 'literal') {
      this.#next++;
      return { kind: 'literal', at: token.at, value: token.value ?? readNumber(token, false, token.at) };
    }
    if (this.#take('(')) {
      const inner = this.expression();
      this.#expect(')');
      return inner;
    }
    if (this.#take('[')) return this.#list(token.at);
    if (this.#take('{')) return { kind: 'map', at: token.at, entries: this.#entries(false) };
    this.#take('.');
    if (this.#token.kind !== 'identifier' || this.#token.text === 'in') this.#unexpected(primaries);
    const name = this.#identifier();
    if (name.text === 'true' || name.text === 'false') {
      return { kind: 'literal', at: name.at, value: name.text === 'true' };
    }
    if (name.text === 'null') return { kind: 'literal', at: name.at, value: null };
    if (reserved.has(name.text)) throw new CelSyntaxError(name.at, `reserved identifier: ${name.text}`);
    const open = this.#take('(');
    if (!open) return { kind: 'name', at: name.at, name: name.text };
    const args = this.#arguments();
    return name.text === 'has' && args.length === 1
      ? presence(args[0] as Node, open.at)
      : { kind: 'call', at: open.at, name: name.text, args };
  }

  #list(at: number): Node {
    const items: { value: Node; optional: boolean }[] = [];
    while (!this.#take(']')) {
      const optional = this.#take('?') !== undefined;
      items.push({ value: this.expression(), optional });
      if (this.#token.text !== ']') this.#expect(',');
    }
    return { kind: 'list', at, items };
  }

  /** Entries of a map, or fields of a message, whose names are no expressions. */
  #entries(named: boolean): Entry[] {
    const entries: Entry[] = [];
    while (!this.#take('}')) {
      const optional = this.#take('?') !== undefined;
      const { at: keyAt } = this.#token;
      const key: Node = named ? { kind: 'literal', at: keyAt, value: this.#identifier().text } : this.expression();
      const { at } = this.#token;
      this.#expect(':');
      entries.push({ at, key, value: this.expression(), optional });
      if (this.#token.text !== '}') this.#expect(',');
    }
    return entries;
  }

  #arguments(): Node[] {
    const args: Node[] = [];
    if (this.#token.kind === 'end') this.#unexpected(primaries.replace("'(', ", "'(', ')', "));
    while (!this.#take(')')) {
      args.push(this.expression());
      if (this.#token.text !== ')' || this.#token.kind !== 'sign') this.#expect(',');
      else continue;
      if (this.#token.text === ')' && this.#token.kind === 'sign') this.#unexpected(primaries);
    }
    return args;
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(text: string): Token | undefined {
    const token = this.#token;
    if (token.kind !== 'sign' || token.text !== text) return undefined;
    this.#next++;
    return token;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#unexpected(`'${text}'`);
  }

  #identifier(): Token {
    const token = this.#token;
    if (token.kind !== 'identifier') this.#unexpected('IDENTIFIER');
    this.#next++;
    return token;
  }

  #unexpected(expected: string): never {
    const { at, text } = this.#token;
    throw new CelSyntaxError(at, `Syntax error: mismatched input '${text}' expecting ${expected}`);
  }
}

const primaries =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function presence(node: Node, at: number): Node {
  if (node.kind !== 'select') throw new CelSyntaxError(node.at, 'invalid argument to has() macro');
  return { kind: 'has', at, of: node.of, field: node.field };
}

/** A call of a method, or the macro of that name. @throws CelSyntaxError */
export function methodCall(target: Node, name: string, args: readonly Node[], at: number): Node {
  const variables = macroArity(name, args.length);
  if (variables === undefined) return { kind: 'call', at, name, target, args };
  const names = args.slice(0, variables).map((arg) => {
    if (arg.kind !== 'name') throw new CelSyntaxError(arg.at, 'argument must be a simple name');
    return arg.name;
  });
  return { kind: 'macro', at, name, target, variables: names, args: args.slice(variables) };
}

/** `a.b.c` as a name; undefined for every other expression. */
export function qualifiedName(node: Node, parts = 4): string | undefined {
  if (node.kind === 'name') return node.name;
  // No name of a type or a function is longer, and long chains would be walked again for every part.
  if (node.kind !== 'select' || node.optional || parts === 0) return undefined;
  const prefix = qualifiedName(node.of, parts - 1);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
