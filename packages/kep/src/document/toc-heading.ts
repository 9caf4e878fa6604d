import { type Definitions, noDefinitions } from './link-definitions.js';
import { escapeText, HeadingInline } from './toc-inline.js';

/** One heading as the generator of tables of contents, `mdtoc`, reads it. */
export interface TocHeading {
  /** Without marks and tags: what its anchor is made of. */
  readonly text: string;
  readonly html: string;
}

/** Longer headings are taken literally. */
const maxLength = 20_000;

/**
 * Reads the text of a heading the way `mdtoc` does, which differs from GitHub: intraword emphasis and most
 * entities are text, `$x$` is a formula, `{#id}` and all `#` at the end go. Undefined when nothing is left:
 * then it takes the line for no heading.
 */
export function tocHeading(source: string, definitions: Definitions = noDefinitions): TocHeading | undefined {
  const content = withoutClosing(withoutId(source));
  if (content === '') return undefined;
  if (content.length > maxLength || !special.test(content)) return { text: content, html: escapeText(content.trim()) };
  const { text, html } = new HeadingInline(content, definitions).read();
  return { text, html: html.trim() };
}

const special = /[\\`*_~<[&!$"^>]|(?:https?|ftp|file):\/\/|mailto:/i;

/** `Title {#id} more`: the first id goes, with all that follows. */
function withoutId(source: string): string {
  const id = source.indexOf('{#');
  return id >= 0 && source.indexOf('}', id + 1) >= 0 ? source.slice(0, id).replace(/ +$/, '') : source;
}

function withoutClosing(source: string): string {
  let end = source.length;
  while (end > 0 && source[end - 1] === '#' && source[end - 2] !== '\\') end--;
  return source.slice(0, end).replace(/^ +| +$/g, '');
}
