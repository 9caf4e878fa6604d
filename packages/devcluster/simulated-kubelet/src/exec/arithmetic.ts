import { ScriptError } from './shell-grammar.js';

const token = /\s*(\d+|[A-Za-z_]\w*|\*\*|<=|>=|==|!=|&&|\|\||[-+*/%()<>!])/y;

/** Binary operators, those that bind loosest first. */
const levels: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
  { '||': (a, b) => Number(a !== 0 || b !== 0) },
  { '&&': (a, b) => Number(a !== 0 && b !== 0) },
  { '==': (a, b) => Number(a === b), '!=': (a, b) => Number(a !== b) },
  {
    '<': (a, b) => Number(a < b),
    '<=': (a, b) => Number(a <= b),
    '>': (a, b) => Number(a > b),
    '>=': (a, b) => Number(a >= b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => Math.trunc(divisible(a, b) / b), '%': (a, b) => divisible(a, b) % b },
];

/**
 * Computes what stands in `$((...))`: integers, variables by name, and the usual operators.
 * @throws ScriptError
 */
export function arithmeticValue(expression: string, variable: (name: string) => string | undefined): number {
  const tokens = tokensOf(expression);
  if (tokens.length === 0) return 0;
  const value = binary(0);
  if (tokens.length > 0) throw new ScriptError('arithmetic syntax error');
  return value;

  function binary(level: number): number {
    const operators = levels[level];
    if (!operators) return unary();
    let left = binary(level + 1);
    for (let apply = operators[tokens[0] ?? '']; apply; apply = operators[tokens[0] ?? '']) {
      tokens.shift();
      left = apply(left, binary(level + 1));
    }
    return left;
  }

  function unary(): number {
    const first = tokens.shift();
    if (first === '-') return -unary();
    if (first === '+') return unary();
    if (first === '!') return Number(unary() === 0);
    if (first === '(') {
      const inner = binary(0);
      if (tokens.shift() !== ')') throw new ScriptError('arithmetic syntax error');
      return inner;
    }
    if (first === undefined || !/^\w/.test(first)) throw new ScriptError('arithmetic syntax error');
    const number = Number(/^\d/.test(first) ? first : variable(first) || 0);
    if (!Number.isSafeInteger(number)) throw new ScriptError('arithmetic syntax error');
    return number;
  }
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  for (token.lastIndex = 0; expression.slice(token.lastIndex).trim() !== ''; ) {
    const found = token.exec(expression)?.[1];
    if (found === undefined) throw new ScriptError('arithmetic syntax error');
    tokens.push(found);
  }
  return tokens;
}

function divisible(a: number, b: number): number {
  if (b === 0) throw new ScriptError('divide by zero');
  return a;
}
