import { RE2JS } from 're2js';

/** What programs may weigh together that are kept. */
const maxKept = 100_000;
/** Beyond this, making a program takes longer than others should wait. */
const largest = 5_000;

interface Known {
  readonly made: RE2JS | string;
  readonly weight: number;
}

const known = new Map<string, Known>();
let kept = 0;

/**
 * A regular expression of a schema or of CEL, in RE2 syntax, which matches in linear time
 * whoever wrote it. For an invalid expression, returns what is wrong with it.
 * @param onMake is told what the program weighs, before it is made, unless it is known already
 */
export function compilePattern(pattern: string, onMake?: (weight: number) => void): RE2JS | string {
  const found = known.get(pattern);
  if (found) return found.made;
  const weight = Math.ceil(weightOf(pattern));
  onMake?.(Math.min(weight, largest));
  const made = weight > largest ? 'error parsing regexp: expression too large' : make(pattern);
  if (kept > maxKept) {
    known.clear();
    kept = 0;
  }
  known.set(pattern, { made, weight });
  kept += Math.min(weight, largest);
  return made;
}

function make(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Steps that matching takes at most: linear in the text, and in the program, which counted repetitions make large. */
export function matchingSteps(pattern: RE2JS, length: number): number {
  return pattern.programSize() * (length + 1);
}

const classOfLetters = /\\[pP](\{[^}]*\}|.)/uy;
const classOfRunes = /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]/y;
const times = /\{(\d+)(?:,(\d*))?\}/y;
/** What a class of Unicode weighs: it has hundreds of ranges. */
const unicode = 30;

/**
 * About how many instructions a pattern becomes, told without making them: `{1000}` in a
 * pattern of ten letters makes thousands. Never much less than it becomes.
 */
function weightOf(pattern: string): number {
  /** Groups that are open, each with the weight of what was in it so far. */
  const open = [2];
  let last = 0;
  const add = (weight: number) => {
    last = weight;
    open.push((open.pop() ?? 0) + weight);
  };
  for (let at = 0; at < pattern.length; ) {
    const letter = pattern[at];
    const repeated = letter === '{' ? read(times, pattern, at) : null;
    if (repeated) {
      const [all, least = '', most = ''] = repeated;
      const total = Math.max(last * Math.max(Number(least) + 1, Number(most)), 1);
      open.push((open.pop() ?? 0) + total - last);
      last = total;
      at += all.length;
    } else if (letter === '\\') {
      const [all = ''] = read(classOfLetters, pattern, at) ?? [];
      add(all === '' ? 1 : unicode);
      at += Math.max(all.length, 2);
    } else if (letter === '[') {
      const [all = letter] = read(classOfRunes, pattern, at) ?? [];
      add(1 + all.length / 8 + unicode * (all.split(/\\[pP]/u).length - 1));
      at += all.length;
    } else if (letter === '(') {
      open.push(2);
      at += 1;
    } else if (letter === ')' && open.length > 1) {
      add(open.pop() ?? 0);
      at += 1;
    } else {
      // An operator such as `*` belongs to what it repeats.
      const operator = letter === '*' || letter === '+' || letter === '?';
      const before = last;
      add(1);
      if (operator) last += before;
      at += 1;
    }
  }
  return open.reduce((sum, weight) => sum + weight, 0);
}

function read(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}
