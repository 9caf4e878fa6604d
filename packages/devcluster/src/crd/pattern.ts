import { RE2JS } from 're2js';

const compiled = new Map<string, RE2JS | string>();
const kept = 1_000;

/**
 * A regular expression of a schema, in RE2 syntax, which matches in linear time
 * whoever wrote it. A text that is no such expression gives what is wrong with it.
 */
export function compilePattern(pattern: string): RE2JS | string {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  let made: RE2JS | string;
  try {
    made = RE2JS.compile(pattern);
  } catch (error) {
    made = (error as Error).message;
  }
  if (compiled.size >= kept) compiled.clear();
  compiled.set(pattern, made);
  return made;
}
