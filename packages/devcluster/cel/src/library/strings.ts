import { compilePattern, matchingSteps } from '@slipway/api-machinery/schema/pattern';
import { fail, type Meter } from '../values/failure.js';
import { List, sizeOf, type Value } from '../values/values.js';
import { formatText } from './format-text.js';
import { type Overload, overload, type Sizes, traversal } from './overload.js';

const readsPattern = {
  cost: ({ of: [text = 0, pattern = 0] }: Sizes) => Math.ceil((text + 1) / 10) * Math.ceil(pattern / 4),
};
const keeps = {
  cost: ({ of: [text = 0] }: Sizes) => traversal(text),
  resultSize: ({ of: [text = 0] }: Sizes) => text,
};
const searches = { cost: ({ of: [text = 0, part = 0] }: Sizes) => traversal(text) * traversal(part) };
const compares = { cost: ({ of }: Sizes) => traversal(of[1] ?? 0) };
const reads = { cost: ({ of: [text = 0] }: Sizes) => traversal(text) };
const splits = {
  cost: ({ of: [text = 0] }: Sizes) => Math.ceil(text / 5),
  resultSize: ({ of: [text = 0], literals: [, , limit] = [] }: Sizes) =>
    typeof limit === 'bigint' ? Number(BigInt.asUintN(64, limit)) : text,
};
const replaces = {
  cost: ({ of: [text = 0] }: Sizes) => Math.ceil(text / 5),
  /** What is replaced has no length that is known to be the least, unless it is written down. */
  resultSize: ({ of: [text = 0, part = 0, by = 0], literals: [, given] = [] }: Sizes) => {
    if (given === undefined || part === 0) return (text + 1) * by + text;
    return by <= part ? text : Math.ceil(text / part) * by;
  },
};
const joins = {
  cost: ({ of: [list = 0, separator = 0], element }: Sizes) => traversal(list * (element + separator)),
  resultSize: ({ of: [list = 0, separator = 0], element }: Sizes) => list * (element + separator),
};

/** Strings, and regular expressions in them, which match in linear time. */
export const strings = (): readonly Overload[] => [
  overload(
    'startsWith',
    'string.(string): bool',
    ([text, part]) => (text as string).startsWith(part as string),
    compares,
  ),
  overload('endsWith', 'string.(string): bool', ([text, part]) => (text as string).endsWith(part as string), compares),
  overload('contains', 'string.(string): bool', ([text, part]) => (text as string).includes(part as string), searches),
  overload(
    'matches',
    'string.(string): bool',
    ([text, pattern], meter) => matches(text as string, pattern as string, meter),
    readsPattern,
  ),
  overload(
    'matches',
    '(string, string): bool',
    ([text, pattern], meter) => matches(text as string, pattern as string, meter),
    readsPattern,
  ),
  overload(
    'find',
    'string.(string): string',
    ([text, pattern], meter) => found(text, pattern, 1, meter, ([first = '']) => first),
    { ...readsPattern, resultSize: keeps.resultSize },
  ),
  overload(
    'findAll',
    'string.(string): list(string)',
    ([text, pattern], meter) => found(text, pattern, -1, meter, (all) => new List(all)),
    {
      ...readsPattern,
      resultSize: keeps.resultSize,
    },
  ),
  overload(
    'findAll',
    'string.(string, int): list(string)',
    ([text, pattern, limit], meter) => found(text, pattern, Number(limit), meter, (all) => new List(all)),
    { ...readsPattern, resultSize: keeps.resultSize },
  ),
  overload('charAt', 'string.(int): string', ([text, at], meter) => {
    meter.spend(traversal((text as string).length));
    const letters = [...(text as string)];
    const index = Number(at);
    return index < 0 || index > letters.length ? outOfRange(at) : (letters[index] ?? '');
  }),
  overload('indexOf', 'string.(string): int', ([text, part]) => indexIn(text as string, part as string, 0), reads),
  overload(
    'indexOf',
    'string.(string, int): int',
    ([text, part, from]) => indexIn(text as string, part as string, Number(from)),
    reads,
  ),
  overload(
    'lastIndexOf',
    'string.(string): int',
    ([text, part]) => lastIndexIn(text as string, part as string, Number.POSITIVE_INFINITY),
    reads,
  ),
  overload(
    'lastIndexOf',
    'string.(string, int): int',
    ([text, part, from]) => lastIndexIn(text as string, part as string, Number(from)),
    reads,
  ),
  overload(
    'lowerAscii',
    'string.(): string',
    ([text]) => (text as string).replace(/[A-Z]+/g, (word) => word.toLowerCase()),
    keeps,
  ),
  overload(
    'upperAscii',
    'string.(): string',
    ([text]) => (text as string).replace(/[a-z]+/g, (word) => word.toUpperCase()),
    keeps,
  ),
  overload('trim', 'string.(): string', ([text]) => (text as string).trim(), keeps),
  overload('substring', 'string.(int): string', ([text, from]) => part(text as string, Number(from)), keeps),
  overload(
    'substring',
    'string.(int, int): string',
    ([text, from, to]) => part(text as string, Number(from), Number(to)),
    keeps,
  ),
  overload(
    'replace',
    'string.(string, string): string',
    ([text, old, by], meter) =>
      replaced(text as string, old as string, by as string, -1, (length) => meter.spend(traversal(length))),
    replaces,
  ),
  overload(
    'replace',
    'string.(string, string, int): string',
    ([text, old, by, times], meter) =>
      replaced(text as string, old as string, by as string, Number(times), (length) => meter.spend(traversal(length))),
    replaces,
  ),
  overload('split', 'string.(string): list(string)', ([text, by]) => split(text as string, by as string, -1), splits),
  overload(
    'split',
    'string.(string, int): list(string)',
    ([text, by, limit]) => split(text as string, by as string, Number(limit)),
    splits,
  ),
  overload(
    'join',
    'list(string).(): string',
    ([list], meter) => joined(list as List, '', (n) => meter.spend(traversal(n))),
    joins,
  ),
  overload(
    'join',
    'list(string).(string): string',
    ([list, by], meter) => joined(list as List, by as string, (n) => meter.spend(traversal(n))),
    joins,
  ),
  overload('format', 'string.(list(dyn)): string', ([text, args]) => formatText(text as string, args as List), {
    cost: ({ of: [text = 0] }) => traversal(text),
  }),
  overload('strings.quote', '(string): string', ([text]) => quoted(text as string), {
    cost: ({ of: [text = 0] }) => traversal(text),
    resultSize: ({ of: [text = 0] }) => text * 2 + 2,
  }),
];

/** What only expressions that make patches know. */
export const patches = () => [
  overload(
    'jsonpatch.escapeKey',
    '(string): string',
    ([key]) => (key as string).replaceAll('~', '~0').replaceAll('/', '~1'),
    { ...reads, resultSize: ({ of: [text = 0] }: Sizes) => text * 2 },
  ),
];

/** What making an instruction costs, and what a step of matching does: both are far slower than what upstream counts. */
const perInstruction = 100;
const perStep = 1 / 4;
/** The same for a match after the first: it seldom reads the text to its end. */
const perLaterStep = 1 / 16;

function matches(text: string, pattern: string, meter: Meter): Value {
  const compiled = compilePattern(pattern, (weight) => meter.spend(weight * perInstruction));
  if (typeof compiled === 'string') return fail(compiled);
  meter.spend(Math.floor(matchingSteps(compiled, text.length) * perStep));
  return compiled.matcher(text).find();
}

function found(text: unknown, pattern: unknown, limit: number, meter: Meter, answer: (all: string[]) => Value): Value {
  const compiled = compilePattern(pattern as string, (weight) => meter.spend(weight * perInstruction));
  if (typeof compiled === 'string') return fail(`Illegal regex: ${compiled}`);
  const { length } = text as string;
  const matcher = compiled.matcher(text as string);
  const all: string[] = [];
  meter.spend(Math.floor(matchingSteps(compiled, length) * perStep));
  while ((limit < 0 || all.length < limit) && matcher.find()) {
    all.push(matcher.group() ?? '');
    meter.spend(Math.floor(matchingSteps(compiled, length - matcher.end()) * perLaterStep));
  }
  return answer(all);
}

function outOfRange(index: Value | undefined): Value {
  return fail(`index out of range: ${String(index)}`);
}

/** Positions count code points. */
function indexIn(text: string, part: string, from: number): Value {
  if (from < 0) return outOfRange(BigInt(from));
  const letters = [...text];
  if (part === '') return BigInt(Math.min(from, letters.length));
  const at = text.indexOf(part, letters.slice(0, from).join('').length);
  return at < 0 ? -1n : BigInt([...text.slice(0, at)].length);
}

function lastIndexIn(text: string, part: string, from: number): Value {
  if (from < 0) return outOfRange(BigInt(from));
  const letters = [...text];
  if (part === '') return BigInt(Math.min(from, letters.length));
  if (from >= letters.length && Number.isFinite(from)) return -1n;
  const at = text.lastIndexOf(part, letters.slice(0, from).join('').length);
  return at < 0 ? -1n : BigInt([...text.slice(0, at)].length);
}

function part(text: string, from: number, to?: number): Value {
  const letters = [...text];
  const end = to ?? letters.length;
  if (to !== undefined && from > end) return fail(`invalid substring range. start: ${from}, end: ${end}`);
  if (from < 0 || from > letters.length) return outOfRange(BigInt(from));
  if (end < 0 || end > letters.length) return outOfRange(BigInt(end));
  return letters.slice(from, end).join('');
}

function replaced(text: string, old: string, by: string, times: number, spend: (length: number) => void): string {
  if (times === 0) return text;
  const pieces = old === '' ? ['', ...text, ''] : text.split(old);
  const gaps = times < 0 ? pieces.length - 1 : Math.min(times, pieces.length - 1);
  spend(text.length + gaps * by.length);
  const changed = pieces.slice(0, gaps + 1).join(by);
  return [changed, ...pieces.slice(gaps + 1)].join(old);
}

function split(text: string, by: string, limit: number): List {
  if (limit === 0) return new List([]);
  const pieces = by === '' ? [...text] : text.split(by);
  if (limit < 0 || pieces.length <= limit) return new List(pieces);
  return new List([...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(by)]);
}

function joined(list: List, by: string, spend: (length: number) => void): string {
  spend(list.items.reduce((total: number, item) => total + sizeOf(item) + by.length, 0));
  return list.items.join(by);
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quoted(text: string): string {
  return `"${[...text].map((letter) => escapes[letter] ?? letter).join('')}"`;
}
