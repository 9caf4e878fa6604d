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

/** Reads the text of a heading the way `mdtoc` does, which differs from GitHub: intraword emphasis and most entities are text, `$x$` is a formula. */
export function tocHeading(content: string, definitions: Definitions = noDefinitions): TocHeading {
  if (content.length > maxLength || !special.test(content)) return { text: content, html: escapeText(content.trim()) };
  const { text, html } = new HeadingInline(content, definitions).read();
  return { text, html: html.trim() };
}

const special = /[\\`*_~<[&!$"^>]|(?:https?|ftp|file):\/\/|mailto:/i;
