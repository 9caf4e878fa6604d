import { Uint, type Value } from '../values/values.js';
import { CelSyntaxError } from './syntax-error.js';

/** A word of an expression; `text` is what it says, or the sign itself. */
export interface Token {
  readonly kind: 'identifier' | 'literal' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
  readonly value?: Value;
}

const blank = /[ \t\r\n\f]+|\/\/[^\n]*/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*|`[A-Za-z0-9_.\-/ ]+`/y;
const number = /0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+[uU]?/y;
const text =
  /([rRbB]{0,2})("""[\s\S]*?(?<!\\)(?:\\\\)*"""|'''[\s\S]*?(?<!\\)(?:\\\\)*'''|"(?:\\.|[^"\\\r\n])*"|'(?:\\.|[^'\\\r\n])*')/y;
const rawText = /([rR][bB]?|[bB][rR])("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\r\n]*"|'[^'\r\n]*')/y;
const prefixed = new RegExp(`${rawText.source}|${text.source}`, 'y');
const sign = /==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}]/y;

/** Splits an expression into words. @throws CelSyntaxError */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  while (at < source.length) {
    const first = source[at] ?? '';
    const skipped = first <= ' ' || first === '/' ? match(blank) : null;
    if (skipped) {
      at += skipped[0].length;
      continue;
    }
    const found = match(patternFor(first)) ?? match(identifier) ?? match(sign);
    if (!found) throw new CelSyntaxError(at, `Syntax error: token recognition error at: '${rest(source, at)}'`);
    tokens.push(tokenOf(found, at));
    at += found[0].length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
  return tokens;
}

/** What a word may be that begins so; letters may begin a quotation, too. */
function patternFor(first: string): RegExp {
  if (first === 'r' || first === 'R' || first === 'b' || first === 'B') return prefixed;
  if (first === '"' || first === "'") return text;
  return (first >= '0' && first <= '9') || first === '.' ? number : identifier;
}

/** A quotation that does not end is unknown up to the end; any other sign by itself. */
function rest(source: string, at: number): string {
  return /["']/.test(source[at] ?? '') ? source.slice(at) : String.fromCodePoint(source.codePointAt(at) ?? 0);
}

function tokenOf(found: RegExpExecArray, at: number): Token {
  const all = found[0];
  const quoted = found[2] ?? found[4];
  const prefix = found[1] ?? found[3] ?? '';
  if (quoted !== undefined) return { kind: 'literal', text: all, at, value: unquote(prefix.toLowerCase(), quoted, at) };
  if (/^\.?\d/.test(all)) return { kind: 'literal', text: all, at };
  if (/^[A-Za-z_`]/.test(all)) return { kind: 'identifier', text: all.replaceAll('`', ''), at };
  return { kind: 'sign', text: all, at };
}

const maxInt = 2n ** 63n;

/** Reads a number; the sign belongs to it, since the least int has no positive counterpart. @throws CelSyntaxError */
export function readNumber(token: Token, negative: boolean, at: number): Value {
  const { text: digits } = token;
  const isHex = /^0x/i.test(digits);
  if (/[uU]$/.test(digits)) {
    const value = BigInt(digits.slice(0, -1));
    if (negative || value >= 2n * maxInt) throw new CelSyntaxError(at, 'invalid uint literal');
    return new Uint(value);
  }
  if (!isHex && /[.eE]/.test(digits)) {
    const value = Number(digits);
    if (!Number.isFinite(value)) throw new CelSyntaxError(at, 'invalid double literal');
    return negative ? -value : value;
  }
  const value = negative ? -BigInt(digits) : BigInt(digits);
  if (value >= maxInt || value < -maxInt) throw new CelSyntaxError(at, 'invalid int literal');
  return value;
}

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

function unquote(prefix: string, quoted: string, at: number): Value {
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  const inner = quoted.slice(width, -width).replace(/\r\n?/g, '\n');
  const isBytes = prefix.includes('b');
  if (prefix.includes('r')) return isBytes ? Uint8Array.from(Buffer.from(inner)) : inner;
  const parts: Uint8Array[] = [];
  const sequence =
    /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu;
  let end = 0;
  let plain = '';
  for (const found of inner.matchAll(sequence)) {
    plain += inner.slice(end, found.index);
    end = found.index + found[0].length;
    const hex = found[1] ?? found[2] ?? found[3] ?? found[4];
    const other = found[6] === undefined ? undefined : simple[found[6]];
    if (hex === undefined && found[5] === undefined && other === undefined) {
      throw new CelSyntaxError(at, `Syntax error: token recognition error at: '${quoted}'`);
    }
    const code = hex === undefined ? Number.parseInt(found[5] ?? '0', 8) : Number.parseInt(hex, 16);
    if (other !== undefined) plain += other;
    else if (isBytes && (found[1] ?? found[2] ?? found[5]) !== undefined) {
      parts.push(Buffer.from(plain), Uint8Array.of(code));
      plain = '';
    } else if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      throw new CelSyntaxError(at, 'invalid unicode code point');
    } else plain += String.fromCodePoint(code);
  }
  plain += inner.slice(end);
  return isBytes ? Uint8Array.from(Buffer.concat([...parts, Buffer.from(plain)])) : plain;
}
