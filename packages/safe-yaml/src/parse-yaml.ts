import { type Document, isScalar, type YAMLError as LibraryError, LineCounter, parseAllDocuments } from 'yaml';
import { guard } from './guard.js';
import { defaultLimits, type YamlLimits } from './limits.js';
import { placeOf, YamlError } from './yaml-error.js';

/**
 * Reads one document of YAML 1.2 (core schema), or JSON, as JSON values. An empty
 * text is null. Of duplicate keys in JSON the last one counts; in YAML they are an error.
 *
 * Safe for text from anywhere: size, depth and aliases are limited, no tag makes
 * anything but JSON values, and a key such as `__proto__` is a key like any other.
 * @throws YamlError with the place, also when there is more than one document.
 */
export function parseYaml(text: string, limits: Partial<YamlLimits> = {}): unknown {
  const within = { ...defaultLimits, ...limits };
  guard(text, within);
  const json = parsedJson(text);
  if (json) return json.value;
  const [document, second] = documentsOf(text);
  if (second) throw new YamlError('there is more than one document', placeOf(text, second.range[0]));
  return document ? jsonOf(document, text, within) : null;
}

/**
 * Reads all documents of a text, as `parseYaml` does one. Documents that hold
 * nothing but comments are left out.
 * @throws YamlError
 */
export function parseAllYaml(text: string, limits: Partial<YamlLimits> = {}): unknown[] {
  const within = { ...defaultLimits, ...limits };
  guard(text, within);
  const json = parsedJson(text);
  if (json) return [json.value];
  return documentsOf(text).map((document) => jsonOf(document, text, within));
}

/** JSON is YAML too, but a parser of its own reads it fifty times as fast. */
function parsedJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function documentsOf(text: string): Document.Parsed[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    merge: false,
    logLevel: 'error',
  });
  if (!Array.isArray(documents)) return [];
  for (const { errors } of documents) {
    const [error] = errors;
    if (error) throw yamlErrorOf(error, lines);
  }
  return documents.filter(({ contents }) => !isScalar(contents) || contents.value !== null || contents.source !== '');
}

/** A document as JSON values. */
export function jsonOf(document: Document.Parsed, text: string, { maxAliases }: YamlLimits): unknown {
  try {
    return document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    // Anchors within anchors that multiply, or an alias that names no anchor.
    const firstAlias = Math.max(0, text.search(/\*[^\s,\]}]/));
    const problem = error instanceof Error ? error.message : String(error);
    throw new YamlError(`aliases: ${problem}`, placeOf(text, firstAlias), { cause: error });
  }
}

/** Converts an error of the library into a `YamlError`. */
export function yamlErrorOf(error: LibraryError, lines: LineCounter): YamlError {
  const { line, col } = lines.linePos(error.pos[0]);
  // Only text that is not valid YAML gets past the guard this deep.
  const problem = error.message.startsWith('Maximum call stack') ? 'nested too deep' : error.message;
  return new YamlError(problem, { line: Math.max(1, line), column: Math.max(1, col) }, { cause: error });
}
