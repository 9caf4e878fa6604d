import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';

const width = 80;

/**
 * Writes a JSON value as YAML the way Kubernetes does: keys in natural order,
 * lists as far in as their key, long texts folded after 80 columns. Tools compare
 * such texts, so the form matters as much as the content.
 */
export function writeYaml(value: unknown): string {
  return runToCompletion(writingYaml(value));
}

/** As `writeYaml`, with yields. */
export function* writingYaml(value: unknown): Resumable<string> {
  const writer = new Writer();
  yield* writer.node(value, 0, true);
  return `${writer.text}\n`;
}

/** Values that are written between two yields. */
const betweenYields = 500;

class Writer {
  text = '';
  #lineStart = 0;
  #values = 0;

  /** `inline`: the first line of what follows begins where the text ends. */
  *node(value: unknown, indent: number, inline: boolean): Resumable<void> {
    if (isFilledMap(value)) yield* this.#map(value, indent, inline);
    else if (Array.isArray(value) && value.length > 0) yield* this.#list(value, indent, inline);
    else this.#scalar(value, indent);
  }

  *#map(map: Readonly<Record<string, unknown>>, indent: number, inline: boolean): Resumable<void> {
    for (const [index, key] of Object.keys(map).sort(naturalOrder).entries()) {
      if (index > 0 || !inline) this.#line(indent);
      if (++this.#values % betweenYields === 0) yield;
      this.#string(key, indent, true);
      this.text += ':';
      const value = map[key];
      if (isFilledMap(value)) yield* this.#map(value, indent + 2, false);
      else if (Array.isArray(value) && value.length > 0) yield* this.#list(value, indent, false);
      else {
        this.text += ' ';
        this.#scalar(value, indent + 2);
      }
    }
  }

  *#list(list: readonly unknown[], indent: number, inline: boolean): Resumable<void> {
    for (const [index, value] of list.entries()) {
      if (++this.#values % betweenYields === 0) yield;
      if (index > 0 || !inline) this.#line(indent);
      this.text += '- ';
      yield* this.node(value, indent + 2, true);
    }
  }

  #scalar(value: unknown, indent: number): void {
    if (typeof value === 'string') this.#string(value, indent, false);
    else if (Array.isArray(value)) this.text += '[]';
    else if (typeof value === 'object' && value !== null) this.text += '{}';
    else this.text += value === undefined ? 'null' : String(value);
  }

  #string(text: string, indent: number, isKey: boolean): void {
    if (text.includes('\n') && !isKey && canBeLiteral(text)) this.#literal(text, indent);
    else if (text.includes('\n') || isSpecial(text) || meansSomethingElse(text)) this.#folded(text, indent, isKey, '"');
    else this.#folded(text, indent, isKey, canBePlain(text) ? '' : "'");
  }

  /** Between quotes or without; a long value breaks at the first space beyond the width. */
  #folded(text: string, indent: number, isKey: boolean, quote: '' | "'" | '"'): void {
    this.text += quote;
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at);
      const inside = quote === '' || (at > 0 && at < text.length - 1);
      const alone = text.charAt(at - 1) !== ' ' && (quote === '"' || text.charAt(at + 1) !== ' ');
      if (character === ' ' && !isKey && inside && alone && this.text.length - this.#lineStart > width) {
        this.#line(indent);
        if (quote === '"' && text.charAt(at + 1) === ' ') this.text += '\\';
      } else if (quote === '"') {
        this.text += escaped(character);
      } else {
        this.text += quote === "'" && character === "'" ? "''" : character;
      }
    }
    this.text += quote;
  }

  #literal(text: string, indent: number): void {
    const body = text.replace(/\n+$/, '');
    const ends = text.length - body.length;
    this.text += `|${ends === 0 ? '-' : ends > 1 ? '+' : ''}`;
    for (const line of text.slice(0, ends === 0 ? undefined : -1).split('\n')) {
      if (line === '') this.text += '\n';
      else {
        this.#line(indent);
        this.text += line;
      }
    }
  }

  #line(indent: number): void {
    this.text += '\n';
    this.#lineStart = this.text.length;
    this.text += ' '.repeat(indent);
  }
}

function isFilledMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

// What YAML 1.1 takes for a boolean, null, number, time, or a number in base 60.
const words =
  /^(|~|null|Null|NULL|y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|true|True|TRUE|false|False|FALSE|<<)$/;
const numbers =
  /^[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*|([0-9][0-9_]*)?\.[0-9_]+([eE][-+]?[0-9]+)?|[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.(inf|Inf|INF))$|^\.(nan|NaN|NAN)$/;
const times = /^\d{4}-\d\d?-\d\d?([Tt ]\s*\d\d?:\d\d:\d\d(\.\d*)?(\s*(Z|[-+]\d\d?(:\d\d)?))?)?$/;
const base60 = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;

function meansSomethingElse(text: string): boolean {
  return words.test(text) || numbers.test(text) || times.test(text) || base60.test(text);
}

/** Whether a text can stand without quotes in a block. */
function canBePlain(text: string): boolean {
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[-?:](\s|$)/.test(text) || /^(---|\.\.\.)/.test(text)) return false;
  return !/^\s|\s$|:(\s|$)|\s#/.test(text);
}

function canBeLiteral(text: string): boolean {
  return !isSpecial(text.replaceAll('\n', '')) && !/^[ \n]| $| \n/.test(text);
}

/** Characters that only an escape can show. */
function isSpecial(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xfeff || code === 0x2028 || code === 0x2029)
      return true;
  }
  return false;
}

function escaped(character: string): string {
  const short = escapes[character];
  if (short !== undefined) return short;
  if (!isSpecial(character)) return character;
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0').toUpperCase()}`
    : `\\u${code.toString(16).toUpperCase()}`;
}

const escapes: Readonly<Record<string, string | undefined>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\v': '\\v',
  '\f': '\\f',
  '\x1b': '\\e',
  '\x85': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

/** Letters after everything else, digits by the number they make. */
function naturalOrder(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === shorter) return a.length - b.length;
  if (isSecondHalf(a.charCodeAt(at)) || isSecondHalf(b.charCodeAt(at))) at = Math.max(0, at - 1);
  const [left, right] = [characterAt(a, at), characterAt(b, at)];
  const [isLeftLetter, isRightLetter] = [isLetter(left), isLetter(right)];
  if (isLeftLetter && isRightLetter) return left < right ? -1 : 1;
  if (isLeftLetter || isRightLetter) return isRightLetter ? -1 : 1;
  const [leftDigits, rightDigits] = [digitsAt(a, at), digitsAt(b, at)];
  const difference = Number(leftDigits || 0) - Number(rightDigits || 0);
  return difference || leftDigits.length - rightDigits.length || (left < right ? -1 : 1);
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function isLetter(character: string): boolean {
  return character < '\x80' ? /^[A-Za-z]$/.test(character) : /\p{L}/u.test(character);
}

function digitsAt(text: string, from: number): string {
  let to = from;
  while (text.charCodeAt(to) >= 0x30 && text.charCodeAt(to) <= 0x39) to++;
  return text.slice(from, to);
}
