import { Composer, type Document, isMap, isScalar, isSeq, LineCounter, type Node, Parser, type ScalarTag } from 'yaml';
import { guard } from './guard.js';
import { defaultLimits, type YamlLimits } from './limits.js';
import { LongBlockTexts } from './long-block-texts.js';
import { jsonOf, yamlErrorOf } from './parse-yaml.js';
import { YamlError } from './yaml-error.js';

/** What a manifest says, and which keys it gives twice: of those the last one counts. */
export interface Manifest {
  readonly value: unknown;
  readonly repeated: readonly RepeatedKey[];
}

export interface RepeatedKey {
  readonly key: string;
  /** Of the later one, counted from 1. */
  readonly line: number;
}

/**
 * Reads a manifest as Kubernetes does: the first document of a text, with the
 * words of YAML 1.1 for truth (`yes`, `on`, `y`), also where they are keys, and its octal
 * numbers. Integers of 64 bits that a number does not hold are bigints. An empty text is null.
 *
 * Limits are those of `parseYaml`. Merge keys, which Kubernetes expands, are refused.
 * @throws YamlError with the place
 */
export function parseManifest(text: string, limits: Partial<YamlLimits> = {}): Manifest {
  const within = { ...defaultLimits, ...limits };
  guard(text, within);
  const lines = new LineCounter();
  const long = new LongBlockTexts();
  const composer = new Composer({
    keepSourceTokens: true,
    schema: 'failsafe',
    customTags: kubernetesTags,
    stringKeys: true,
    uniqueKeys: false,
    merge: false,
    logLevel: 'error',
  });
  const tokens = long.joined(new Parser(lines.addNewLine).parse(text));
  const document = composer.compose(tokens).next().value as Document.Parsed | undefined;
  if (!document) return { value: null, repeated: [] };
  const [error] = document.errors;
  if (error) throw yamlErrorOf(error, lines);
  const repeated: RepeatedKey[] = [];
  readKeys(document.contents, lines, long, repeated);
  return { value: jsonOf(document, text, within), repeated };
}

/** Gives keys the text that they have in JSON, notes those that are there already, and makes long texts whole. */
function readKeys(node: Node | null, lines: LineCounter, long: LongBlockTexts, repeated: RepeatedKey[]): void {
  long.restore(node);
  if (isSeq(node)) for (const item of node.items) readKeys(item as Node, lines, long, repeated);
  if (!isMap(node)) return;
  const seen = new Set<unknown>();
  for (const { key, value } of node.items) {
    if (isScalar(key)) {
      const { line, col: column } = lines.linePos(key.range?.[0] ?? 0);
      const meaning = key.type === 'PLAIN' ? meaningOf(String(key.value)) : key.value;
      if (meaning === null) throw new YamlError('a key must not be null', { line, column });
      // A word for truth and the same word in quotes are two keys here, and one in JSON.
      if (seen.has(meaning)) repeated.push({ key: String(meaning), line });
      seen.add(meaning);
      key.value = String(meaning);
    }
    readKeys(value as Node | null, lines, long, repeated);
  }
}

/** What a plain word stands for. */
function meaningOf(text: string): unknown {
  const found = kubernetesTags.find(({ test }) => test?.test(text));
  return found ? found.resolve(text, () => {}, {}) : text;
}

const tag = (name: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag => ({
  tag: `tag:yaml.org,2002:${name}`,
  default: true,
  test,
  resolve,
});

/** How go-yaml reads plain words; what is none of these is a text. */
const kubernetesTags: ScalarTag[] = [
  tag('null', /^(?:~|null|Null|NULL)?$/, () => null),
  tag('bool', /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/, () => true),
  tag('bool', /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/, () => false),
  tag('int', /^[-+]?0b[01_]+$/, (text) => based(text, 2)),
  tag('int', /^[-+]?0o?[0-7_]+$/, (text) => based(text, 8)),
  tag('int', /^[-+]?0x[0-9a-fA-F_]+$/, (text) => based(text, 16)),
  tag('float', /^[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/, decimal),
];

/** Whole numbers keep their digits, as a bigint where a number does not hold them; what no float holds is a text. */
function decimal(text: string): unknown {
  const digits = text.replaceAll('_', '');
  const value = Number(digits);
  if (!Number.isFinite(value)) return text;
  return /^[-+]?\d+$/.test(digits) ? whole(BigInt(digits.replace('+', '')), value) : value;
}

function based(text: string, base: number): unknown {
  const [, sign, digits = ''] = /^([-+]?)0[box]?(.+)$/.exec(text) ?? [];
  const plain = digits.replaceAll('_', '');
  const value = [...plain].reduce((sum, digit) => sum * BigInt(base) + BigInt(Number.parseInt(digit, base)), 0n);
  return whole(sign === '-' ? -value : value, Number(sign === '-' ? -value : value));
}

/** Beyond 64 bits, Go reads floats. */
function whole(exact: bigint, rounded: number): number | bigint {
  return Number.isSafeInteger(rounded) || exact !== BigInt.asIntN(64, exact) ? rounded : exact;
}
