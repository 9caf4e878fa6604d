import type { Answer } from './runners/runner.js';
import type { Expectation, TextPattern } from './scenario.js';

/** Compares an answer with the expected one. Returns one line per difference. */
export function differences(expected: Expectation, answer: Answer): readonly string[] {
  const found: string[] = [];
  const say = (what: string, wanted: unknown, got: unknown) =>
    found.push(`${what}: expected ${shown(wanted)}, got ${shown(got)}`);

  for (const name of ['exit', 'requests', 'code'] as const) {
    if (expected[name] !== undefined && answer[name] !== expected[name]) say(name, expected[name], answer[name]);
  }
  for (const name of ['stdout', 'stderr'] as const) {
    const pattern = expected[name];
    if (pattern !== undefined) found.push(...textDifferences(name, pattern, answer[name] ?? ''));
  }
  for (const name of ['headers', 'body', 'object', 'events'] as const) {
    if (expected[name] !== undefined) found.push(...partDifferences(name, expected[name], answer[name]));
  }
  if (expected.refused) {
    const { reason, message = '' } = expected.refused;
    if (answer.refused?.reason !== reason) say('refused', reason, answer.refused ?? 'an answer');
    else if (!answer.refused.message.includes(message)) say('message', message, answer.refused.message);
  }
  return found;
}

function textDifferences(what: string, pattern: TextPattern, text: string): readonly string[] {
  const not = (wanted: unknown) => [`${what}: expected ${shown(wanted)}, got ${shown(text)}`];
  if (typeof pattern === 'string') return text === pattern ? [] : not(pattern);
  if ('matches' in pattern) return new RegExp(pattern.matches, 'm').test(text) ? [] : not(`/${pattern.matches}/`);
  if ('json' in pattern) return partDifferences(what, pattern.json, jsonOf(text));
  const wanted = typeof pattern.contains === 'string' ? [pattern.contains] : pattern.contains;
  return wanted.filter((part) => !text.includes(part)).flatMap(not);
}

/**
 * Lists where `actual` lacks something of `part`. Maps may hold more than `part` names, lists may not; `null` means
 * that the field is absent; a string that begins with `~` is a regular expression.
 */
export function partDifferences(path: string, part: unknown, actual: unknown): readonly string[] {
  const not = () => [`${path}: expected ${shown(part)}, got ${shown(actual)}`];
  if (part === null) return actual === undefined || actual === null ? [] : not();
  if (typeof part === 'string' && part.startsWith('~')) {
    return typeof actual === 'string' && new RegExp(part.slice(1), 's').test(actual) ? [] : not();
  }
  if (Array.isArray(part)) {
    if (!Array.isArray(actual) || actual.length !== part.length) return not();
    return part.flatMap((item, index) => partDifferences(`${path}[${index}]`, item, actual[index]));
  }
  if (typeof part === 'object') {
    if (typeof actual !== 'object' || actual === null) return not();
    const values = actual as Readonly<Record<string, unknown>>;
    return Object.entries(part).flatMap(([key, value]) => partDifferences(`${path}.${key}`, value, values[key]));
  }
  return part === actual ? [] : not();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
