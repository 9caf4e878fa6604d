/** A part of a format text: what is copied, or a clause that shows an argument. */
export type FormatPart = string | FormatClause;

/** `%.2f`: the verb with its precision, or why it is none. */
export interface FormatClause {
  readonly verb: string;
  readonly precision: number | undefined;
  readonly problem?: string;
}

/** The text ends where a clause should begin. */
export const atEnd: FormatClause = { verb: '', precision: undefined, problem: 'unexpected end of string' };

const clause = /%(?:%|(\.\d*)?(.?))/gsu;

/** Reads a text for `format`. */
export function formatParts(text: string): readonly FormatPart[] {
  const parts: FormatPart[] = [];
  let read = 0;
  for (const found of text.matchAll(clause)) {
    const [all, precision, verb = ''] = found;
    if (found.index > read) parts.push(text.slice(read, found.index));
    read = found.index + all.length;
    parts.push(all === '%%' ? '%' : clauseOf(precision, verb));
  }
  parts.push(text.slice(read));
  return parts;
}

function clauseOf(precision: string | undefined, verb: string): FormatClause {
  const digits = precision?.slice(1);
  if (verb === '' && digits === undefined) return atEnd;
  const inPrecision = 'could not parse formatting clause: error while parsing precision: ';
  const failed = (problem: string) => ({ verb, precision: undefined, problem });
  if (verb === '') return failed(`${inPrecision}could not find end of precision specifier`);
  const read = (why: string) =>
    failed(`${inPrecision}error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${why}`);
  if (digits === '') return read('invalid syntax');
  if (digits !== undefined && BigInt(digits) > 9_223_372_036_854_775_807n) return read('value out of range');
  if (!'sdfebxXo'.includes(verb)) {
    // Kubernetes takes the first byte for the letter.
    const [byte = 0] = Buffer.from(verb);
    return failed(`could not parse formatting clause: unrecognized formatting clause "${String.fromCharCode(byte)}"`);
  }
  return { verb, precision: digits === undefined ? undefined : Number(digits) };
}

/** What the values of a verb are, as messages say it. */
const takes: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

/** Says that a verb does not show values of a type. */
export function wrongArgument(verb: string, type: string): string {
  return `error during formatting: ${takes[verb]}, was given ${type}`;
}
