/** Where the names in `[text][name]` lead; names in lower case. */
export type Definitions = ReadonlyMap<string, string>;

export const noDefinitions: Definitions = new Map();

/** What may end the line before a definition. */
const lineEnds = '\n\r\u2028\u2029';
const form = / {0,3}\[([^\]\n]{1,300})\]:[ \t]*<?([^\s<>]+)/y;
const maxBefore = 304;

/** The link definitions of a text, `[name]: target`; the first of a name counts. */
export function linkDefinitions(text: string): Definitions {
  const found = new Map<string, string>();
  for (let at = text.indexOf(']:'); at >= 0; at = text.indexOf(']:', at + 1)) {
    let start = at;
    while (start > 0 && start > at - maxBefore && !lineEnds.includes(text[start - 1] ?? '')) start--;
    if (start > 0 && !lineEnds.includes(text[start - 1] ?? '')) continue;
    form.lastIndex = start;
    const [, name = '', target = ''] = form.exec(text) ?? [];
    const key = name.toLowerCase();
    if (key !== '' && !found.has(key)) found.set(key, target);
  }
  return found;
}
