/**
 * The seven kinds of HTML block of CommonMark. Kinds 1 to 5 end on the line that
 * holds their end mark, 6 and 7 before the next blank line.
 */
export interface HtmlStart {
  readonly kind: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  readonly endMark: string | undefined;
}

const blockNames = new Set(
  (
    'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt ' +
    'fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link ' +
    'main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead ' +
    'title tr track ul'
  ).split(' '),
);

const rawName = /^<(script|pre|style|textarea)(?:[\s>]|$)/i;
const namedTag = /^<\/?([a-z][a-z0-9-]*)(?:[\s/>]|$)/i;
const openTagAlone = /^<[a-z][a-z0-9-]*(?:\s[^<>]{0,2000})?\/?>\s*$/i;
const closeTagAlone = /^<\/[a-z][a-z0-9-]*\s*>\s*$/i;

/** The HTML block that starts with `line`, which begins with `<` and has no indentation. */
export function htmlStart(line: string): HtmlStart | undefined {
  if (line.startsWith('<!--')) return { kind: 2, endMark: '-->' };
  if (line.startsWith('<?')) return { kind: 3, endMark: '?>' };
  if (line.startsWith('<![CDATA[')) return { kind: 5, endMark: ']]>' };
  if (/^<![a-z]/i.test(line)) return { kind: 4, endMark: '>' };
  const raw = rawName.exec(line);
  if (raw) return { kind: 1, endMark: `</${raw[1]?.toLowerCase()}>` };
  const name = namedTag.exec(line)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  if (blockNames.has(name)) return { kind: 6, endMark: undefined };
  if (openTagAlone.test(line) || closeTagAlone.test(line)) return { kind: 7, endMark: undefined };
  return undefined;
}
