import type { HeadingBlock } from './blocks.js';
import type { KepDocument } from './document.js';
import { headingText } from './heading-text.js';
import { linkDefinitions } from './link-definitions.js';

/** Deeper headings are left out, as the generator of kubernetes/enhancements does it. */
export const defaultTocDepth = 5;

/**
 * The table of contents that `mdtoc` writes for a document with TOC marks, and
 * undefined for one without: headings behind the closing mark, two blanks for a
 * level, and GitHub's anchors restricted to ASCII.
 *
 * It leaves out what `mdtoc` does not see: headings in lists and headings with blanks before them.
 */
export function tableOfContents(document: KepDocument, maxDepth = defaultTocDepth): string | undefined {
  if (!document.toc) return undefined;
  const entries = tocEntries(document, maxDepth);
  return entries.map(({ depth, html, anchor }) => `${'  '.repeat(depth)}- [${html}](#${anchor})`).join('\n');
}

/** One line of the table. */
export interface TocEntry {
  readonly heading: HeadingBlock;
  readonly depth: number;
  readonly html: string;
  readonly anchor: string;
}

/** The lines that the table has; none without TOC marks. */
export function tocEntries(document: KepDocument, maxDepth = defaultTocDepth): readonly TocEntry[] {
  const { toc } = document;
  if (!toc) return [];
  const listed = document.blocks.headings.filter((heading) => heading.start > toc.close.start && isSeen(heading));
  const base = Math.min(...listed.map(({ level }) => level));
  const definitions = listed.some(({ source }) => source.includes('[')) ? linkDefinitions(document.text) : undefined;
  const used = new Map<string, number>();
  const entries: TocEntry[] = [];
  for (const heading of listed) {
    if (heading.level > maxDepth) continue;
    const { text, html } = headingText(withoutId(heading.source), definitions);
    entries.push({ heading, depth: heading.level - base, html, anchor: unique(asciiAnchor(text), used) });
  }
  return entries;
}

/** Whether the table between the marks is the one that the headings ask for. */
export function isTocCurrent(document: KepDocument): boolean {
  const wanted = tableOfContents(document);
  return wanted === undefined || tocText(document)?.trim() === wanted.trim();
}

/** What stands between the marks, with `\n` for line endings. */
export function tocText(document: KepDocument): string | undefined {
  const { toc, text } = document;
  return toc && text.slice(toc.open.end, toc.close.start).replace(/\r\n?/g, '\n');
}

/** Whether `mdtoc` takes a heading for one. */
export function isSeen(heading: HeadingBlock): boolean {
  return !heading.inList && heading.indent === 0;
}

/** The anchors that GitHub gives to all headings of a document, in order. */
export function githubAnchors(document: KepDocument): readonly string[] {
  const known = anchors.get(document);
  if (known) return known;
  const used = new Map<string, number>();
  const found = document.blocks.headings.map(({ source }) => {
    const anchor = unique(githubAnchor(headingText(source).text), used);
    // GitHub also counts the anchors that it made up.
    if (!used.has(anchor)) used.set(anchor, 1);
    return anchor;
  });
  anchors.set(document, found);
  return found;
}

const anchors = new WeakMap<KepDocument, readonly string[]>();

function githubAnchor(text: string): string {
  if (/^[\w -]*$/.test(text)) return text.trim().toLowerCase().replaceAll(' ', '-');
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function asciiAnchor(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^A-Za-z0-9_\- ]/g, '')
    .replaceAll(' ', '-');
}

function unique(anchor: string, used: Map<string, number>): string {
  const times = used.get(anchor) ?? 0;
  used.set(anchor, times + 1);
  return times === 0 ? anchor : `${anchor}-${times}`;
}

function withoutId(source: string): string {
  return source.replace(/\s*\{#[^{}]*\}\s*$/, '');
}
