import { type LabelOperator, type LabelRequirement, labelRequirement } from './label-requirement.js';
import { SelectorError } from './selector-error.js';

/**
 * Reads a label selector as kubectl and the API take it: `a=b,c!=d,e in (x,y),!f,g,h>3`.
 * Blank text selects everything. Requirements come sorted by key.
 * @throws SelectorError
 */
export function parseLabelSelector(text: string): LabelRequirement[] {
  const tokens = tokensOf(text);
  const requirements: LabelRequirement[] = [];
  while (tokens.peek() !== end) {
    const first = tokens.peek();
    if (first !== '!' && isSymbol(first)) {
      throw new SelectorError(`found '${first}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(tokens));
    const after = tokens.next();
    if (after === end) break;
    if (after !== ',') throw new SelectorError(`found '${after}', expected: ',' or 'end of string'`);
    const following = tokens.peek();
    if (following === end || (following !== '!' && isSymbol(following))) {
      throw new SelectorError(`found '${following}', expected: identifier after ','`);
    }
  }
  return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  try {
    const negated = tokens.peek() === '!';
    if (negated) tokens.next();
    const key = tokens.next();
    if (isSymbol(key)) throw new SelectorError(`found '${key}', expected: identifier`);
    if (negated) return labelRequirement(key, 'DoesNotExist', []);
    const following = tokens.peek();
    if (following === end || following === ',') return labelRequirement(key, 'Exists', []);
    const operator = operators.get(tokens.next());
    if (!operator) {
      throw new SelectorError(`found '${following}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const values = operator === 'In' || operator === 'NotIn' ? parseSet(tokens) : [parseValue(tokens)];
    return labelRequirement(key, operator, values);
  } catch (error) {
    if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}

function parseValue(tokens: Tokens): string {
  const value = tokens.peek();
  if (value === end || value === ',') return '';
  if (isSymbol(value)) throw new SelectorError(`found '${value}', expected: identifier`);
  return tokens.next();
}

function parseSet(tokens: Tokens): string[] {
  const open = tokens.next();
  if (open !== '(') throw new SelectorError(`found '${open}' expected: '('`);
  const values = new Set<string>();
  for (;;) {
    const token = tokens.next();
    const isValue = !isSymbol(token);
    if (!isValue && token !== ',' && token !== ')') {
      throw new SelectorError(`found '${token}', expected: ',', ')' or identifier`);
    }
    // Where a value is missing, as in `()` or `(a,)`, the empty value is meant.
    values.add(isValue ? token : '');
    const after = isValue ? tokens.next() : token;
    if (after === ')') return [...values].sort();
    if (after !== ',') throw new SelectorError(`found '${after}', expected: ',' or ')'`);
  }
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['=', 'Equals'],
  ['==', 'Equals'],
  ['!=', 'NotEquals'],
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['>', 'GreaterThan'],
  ['<', 'LessThan'],
]);

const end = '';

interface Tokens {
  peek(): string;
  next(): string;
}

/** Words and symbols in turn, then always ''. */
function tokensOf(text: string): Tokens {
  const tokens = text.match(/[^\s=!(),<>]+|==|!=|[=!(),<>]/g) ?? [];
  let at = 0;
  return { peek: () => tokens[at] ?? end, next: () => tokens[at++] ?? end };
}

function isSymbol(token: string): boolean {
  return token === end || /^[=!(),<>]/.test(token);
}
