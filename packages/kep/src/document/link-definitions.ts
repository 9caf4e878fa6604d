/** Where the names in `[text][name]` lead; names in lower case. */
export type Definitions = ReadonlyMap<string, string>;

export const noDefinitions: Definitions = new Map();

const form = /^ {0,3}\[([^\]\n]{1,300})\]:[ \t]*<?([^\s<>]+)/gm;

/** The link definitions of a text, `[name]: target`; the first of a name counts. */
export function linkDefinitions(text: string): Definitions {
  const found = new Map<string, string>();
  if (!text.includes(']:')) return found;
  for (const [, name, target] of text.matchAll(form)) {
    const key = (name ?? '').toLowerCase();
    if (!found.has(key)) found.set(key, target ?? '');
  }
  return found;
}
