import { parseJson } from '@slipway/kube';
import { goJson } from '../json/go-text.js';
import { isJsonObject, own } from '../json/json-value.js';

/** The element of a named field, or of a key of a map. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The name in such an element; undefined for elements of lists. */
export function fieldNameOf(element: string): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** The element of a set: a list of scalars of which each is there once. */
export function valueElement(value: unknown): string {
  return `v:${goJson(value)}`;
}

/** The element of a list of objects that its keys tell apart; what an object leaves out is left out. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): string {
  const inOrder = keys.length < 2 ? keys : [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:{${inOrder.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;
}

/**
 * The one way to write an element that came from elsewhere.
 * @returns undefined for a kind of element that is not known: a later version may know it
 * @throws SyntaxError for a string that is not an element
 */
export function canonicalElement(element: string): string | undefined {
  if (element.length < 2 || element[1] !== ':') throw new SyntaxError(`no path element: ${element}`);
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return element;
    case 'v':
      return valueElement(parseJson(content));
    case 'k': {
      const keys: unknown = parseJson(content);
      if (!isJsonObject(keys)) throw new SyntaxError(`no keys: ${element}`);
      return keyElement(Object.keys(keys).map((name) => [name, own(keys, name)]));
    }
    case 'i':
      if (!/^-?\d+$/.test(content)) throw new SyntaxError(`no index: ${element}`);
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

/** An element as messages show it: `.spec`, `[name="x"]`, `[="a"]`, `[3]`. */
export function describeElement(element: string): string {
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'v':
      return `[=${describeValue(parseJson(content))}]`;
    case 'k': {
      const keys = Object.entries(parseJson(content) as Record<string, unknown>);
      return `[${keys.map(([name, value]) => `${name}=${describeValue(value)}`).join(',')}]`;
    }
    default:
      return `[${content}]`;
  }
}

export function describePath(path: readonly string[]): string {
  return path.map(describeElement).join('');
}

function describeValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

const order = 'fkvi';

/** The order in which elements are written: names, then keys, values and indexes. */
export function compareElements(a: string, b: string, keysOf: (element: string) => Keys = keysIn): number {
  if (a === b) return 0;
  if (a.startsWith('f:') && b.startsWith('f:')) return a < b ? -1 : 1;
  if (a[0] !== b[0]) return order.indexOf(a[0] ?? '') - order.indexOf(b[0] ?? '');
  switch (a[0]) {
    case 'k':
      return comparePlainKey(a, b) ?? compareKeys(keysOf(a), keysOf(b));
    default:
      return comparePlainText(a, b) ?? compareScalars(parseJson(a.slice(2)), parseJson(b.slice(2)));
  }
}

/** The same of texts without escapes. Undefined for others. */
function comparePlainText(a: string, b: string): number | undefined {
  if (!isPlainText(a) || !isPlainText(b)) return undefined;
  const [text, other] = [a.slice(3, -1), b.slice(3, -1)];
  return text === other ? 0 : text < other ? -1 : 1;
}

function isPlainText(element: string): boolean {
  return element.startsWith('v:"') && !element.includes('\\');
}

const plainKey = /^k:\{"([^"\\]*)":"([^"\\]*)"\}$/;

/** Nearly all elements have one key, whose value is a text without escapes. Undefined for the others. */
function comparePlainKey(a: string, b: string): number | undefined {
  const [, name = '', value = ''] = plainKey.exec(a) ?? [];
  const [, otherName = '', other = ''] = plainKey.exec(b) ?? [];
  if (name === '' || otherName === '') return undefined;
  if (name !== otherName) return name < otherName ? -1 : 1;
  return value === other ? 0 : value < other ? -1 : 1;
}

type Keys = readonly (readonly [name: string, value: unknown])[];

/** That order, for sorting very many: the keys of each element are read once. */
export function elementOrder(): (a: string, b: string) => number {
  const known = new Map<string, Keys>();
  const keysOf = (element: string) => {
    let keys = known.get(element);
    if (!keys) {
      keys = keysIn(element);
      known.set(element, keys);
    }
    return keys;
  };
  return (a, b) => compareElements(a, b, keysOf);
}

function keysIn(element: string): Keys {
  return Object.entries(parseJson(element.slice(2)) as object);
}

function compareKeys(a: Keys, b: Keys): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (!other) return 1;
    if (name !== other[0]) return name < other[0] ? -1 : 1;
    const compared = compareScalars(value, other[1]);
    if (compared !== 0) return compared;
  }
  return a.length - b.length;
}

/** Numbers before texts before booleans before null. */
function compareScalars(a: unknown, b: unknown): number {
  const rank = (value: unknown) =>
    ['number', 'string', 'boolean', 'object'].indexOf(typeof value === 'bigint' ? 'number' : typeof value);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a === b) return 0;
  return (a as number) < (b as number) ? -1 : 1;
}
