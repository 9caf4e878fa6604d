import { type Definitions, noDefinitions } from './link-definitions.js';
import { escapeText, HeadingInline, type TocHeading } from './toc-inline.js';

/** Longer headings are taken literally. */
const maxLength = 20_000;

/** Reads the text of a heading the way `mdtoc` does, which differs from GitHub: intraword emphasis and most entities are text, `$x$` is a formula. */
export function tocHeading(content: string, definitions: Definitions = noDefinitions): TocHeading {
  if (content.length > maxLength || !special.test(content)) return { text: content, html: escapeText(content.trim()) };
  const { text, html } = new HeadingInline(content, definitions).read();
  return { text, html: html.trim() };
}

const special = /[\\`*_~<[&!$"^>]|(?:https?|ftp|file):\/\/|mailto:/i;
