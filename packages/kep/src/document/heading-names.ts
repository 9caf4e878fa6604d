import { headingText } from './heading-text.js';
import type { Definitions } from './link-definitions.js';
import { normalizeTitle } from './normalize-title.js';
import { isPrintableAscii } from './printable-ascii.js';
import { remembering } from './remember.js';
import { tocHeading } from './toc-heading.js';

/** A heading in the table of contents that `mdtoc` writes. */
export interface TocLine {
  readonly html: string;
  /** Without the number of an anchor that comes again. */
  readonly anchor: string;
  /** The link to that anchor. */
  readonly link: string;
}

/** What a heading is called where it is named. Its source refers to no definition of a link. */
export class HeadingNames {
  readonly title: string;
  readonly norm: string;
  readonly #source: string;
  #githubAnchor: string | undefined;
  #tocLine: TocLine | undefined;

  constructor(source: string) {
    this.#source = source;
    this.title = headingText(source).trim();
    this.norm = normalizeTitle(this.title);
  }

  /** Without the number of an anchor that comes again. */
  get githubAnchor(): string {
    this.#githubAnchor ??= githubAnchor(this.title);
    return this.#githubAnchor;
  }

  get tocLine(): TocLine {
    this.#tocLine ??= this.#makeTocLine();
    return this.#tocLine;
  }

  /** Where both read a title alike, its anchors are the same. */
  #makeTocLine(): TocLine {
    const { text, html } = tocHeading(this.#source);
    const anchor = text === this.title && isPrintableAscii(text) ? this.githubAnchor : asciiAnchor(text);
    return { html, anchor, link: tocLink(html, anchor) };
  }
}

/** The names of a heading by its source. Most headings come again in many documents: one look tells all of them. */
export const headingNames = remembering((source) => new HeadingNames(source));

/** Makes the line of a heading that may refer to definitions. */
export function tocLine(source: string, definitions: Definitions): TocLine {
  const { text, html } = tocHeading(source, definitions);
  const anchor = asciiAnchor(text);
  return { html, anchor, link: tocLink(html, anchor) };
}

/** A link of the table of contents. */
export function tocLink(html: string, anchor: string): string {
  return `[${html}](#${anchor})`;
}

/** The anchor that GitHub gives to a title, without the number of one that comes again. */
export function githubAnchor(title: string): string {
  if (/^[\w -]*$/.test(title)) return title.trim().toLowerCase().replaceAll(' ', '-');
  return title
    .trim()
    .toLowerCase()
    .replace(isPrintableAscii(title) ? /[^a-z0-9_\- ]/g : /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function asciiAnchor(text: string): string {
  if (/^[\w -]*$/.test(text)) return text.toLowerCase().replaceAll(' ', '-');
  return text
    .toLowerCase()
    .replace(/[^A-Za-z0-9_\- ]/g, '')
    .replaceAll(' ', '-');
}
