import { type HeadingBlock, lineKind } from './blocks.js';
import type { KepDocument } from './document.js';
import { headingText } from './heading-text.js';
import { Lines, type Span } from './lines.js';
import { type Definitions, linkDefinitions, noDefinitions } from './link-definitions.js';
import { scanBlocks } from './scan-blocks.js';
import { type TocHeading, tocHeading } from './toc-heading.js';
import { escapeText } from './toc-inline.js';

/** Deeper headings are left out, as the generator of kubernetes/enhancements does it. */
export const defaultTocDepth = 5;

/**
 * The table of contents that `mdtoc` writes for a document with TOC marks, and
 * undefined for one without: headings behind the closing mark, two blanks for a
 * level, and GitHub's anchors restricted to ASCII.
 *
 * It leaves out what `mdtoc` does not see: headings in lists and headings with blanks before them.
 */
export function tableOfContents(document: KepDocument, options: TocOptions = {}): string | undefined {
  if (!document.toc) return undefined;
  return tocEntries(document, options)
    .map(({ depth, html, anchor }) => `${'  '.repeat(depth)}- [${html}](#${anchor})`)
    .join('\n');
}

/** How a table is made. */
export interface TocOptions {
  /** `mdtoc` (the default) writes the anchors of that program; `github` those that work on GitHub, for all headings. */
  readonly engine?: TocEngine;
  /** Deeper headings are left out; 5 unless said otherwise. */
  readonly maxDepth?: number;
}

export const tocEngines = ['mdtoc', 'github'] as const;
export type TocEngine = (typeof tocEngines)[number];

/** One line of the table. */
export interface TocEntry {
  readonly heading: HeadingBlock;
  readonly depth: number;
  readonly html: string;
  readonly anchor: string;
}

/** The lines that the table has; none without TOC marks. */
export function tocEntries(document: KepDocument, options: TocOptions = {}): readonly TocEntry[] {
  const { engine = 'mdtoc', maxDepth = defaultTocDepth } = options;
  return engine === 'github' ? githubEntries(document, maxDepth) : mdtocEntries(document, maxDepth);
}

function mdtocEntries(document: KepDocument, maxDepth: number): readonly TocEntry[] {
  const { toc } = document;
  if (!toc) return [];
  const after = [...document.blocks.headings, ...headingsInComments(document)]
    .filter((heading) => heading.start > toc.close.start && isSeen(heading, document))
    .sort((one, other) => one.start - other.start);
  const definitions = definitionsFor(document, after);
  const listed: { heading: HeadingBlock; shown: TocHeading }[] = [];
  let base = 6;
  for (const heading of after) {
    const shown = tocHeading(tocSource(document, heading), definitions);
    if (!shown) continue;
    listed.push({ heading, shown });
    base = Math.min(base, heading.level);
  }
  const used = new Map<string, number>();
  return listed
    .filter(({ heading }) => heading.level <= maxDepth)
    .map(({ heading, shown: { text, html } }) => {
      return { heading, depth: heading.level - base, html, anchor: unique(asciiAnchor(text), used) };
    });
}

function githubEntries(document: KepDocument, maxDepth: number): readonly TocEntry[] {
  const { toc, blocks } = document;
  if (!toc) return [];
  const anchors = anchorsByHeading(document);
  const definitions = definitionsFor(document, blocks.headings);
  const listed = blocks.headings.filter(({ start, level }) => start > toc.close.start && level <= maxDepth);
  const base = Math.min(...listed.map(({ level }) => level));
  return listed.map((heading) => ({
    heading,
    depth: heading.level - base,
    html: escapeText(headingText(heading.source, definitions).trim()),
    anchor: anchors.get(heading) ?? '',
  }));
}

/** Whether the table between the marks is the one that the headings ask for. */
export function isTocCurrent(document: KepDocument, options: TocOptions = {}): boolean {
  const wanted = tableOfContents(document, options);
  return wanted === undefined || tocText(document)?.trim() === wanted.trim();
}

/** What stands between the marks, with `\n` for line endings. */
export function tocText(document: KepDocument): string | undefined {
  const { toc, text } = document;
  return toc && text.slice(toc.open.end, toc.close.start).replace(/\r\n?/g, '\n');
}

/** Whether `mdtoc` takes a heading for one: none in lists, with blanks before the marks, or a tab behind them. */
export function isSeen({ inList, indent, form, start, level }: HeadingBlock, { text }: KepDocument): boolean {
  return !inList && indent === 0 && (form === 'underlined' || text[start + level] === ' ');
}

/** The anchors that GitHub gives to all headings of a document, in order. */
export function githubAnchors(document: KepDocument): readonly string[] {
  const known = anchors.get(document);
  if (known) return known;
  const used = new Map<string, number>();
  const definitions = definitionsFor(document, document.blocks.headings);
  const found = document.blocks.headings.map(({ source }) => {
    const anchor = unique(githubAnchor(headingText(source, definitions)), used);
    // GitHub also counts the anchors that it made up.
    if (!used.has(anchor)) used.set(anchor, 1);
    return anchor;
  });
  anchors.set(document, found);
  return found;
}

/** The same anchors by heading. */
export function anchorsByHeading(document: KepDocument): ReadonlyMap<HeadingBlock, string> {
  const found = githubAnchors(document);
  return new Map(document.blocks.headings.map((heading, at) => [heading, found[at] ?? '']));
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

/**
 * For `mdtoc` a comment right below a paragraph belongs to that paragraph and ends with it at the
 * next blank line, so that headings further on in the comment count.
 */
function headingsInComments({ text, lines, blocks }: KepDocument): readonly HeadingBlock[] {
  return blocks.comments.flatMap(({ start, end }) => {
    const first = lines.at(start);
    const last = lines.at(end);
    if (first === last || blocks.kinds[first - 1] !== lineKind.text) return [];
    const blank = text.slice(start, end).search(/(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)/);
    if (blank < 0) return [];
    const from = start + blank;
    const inside = text.slice(from, end);
    const shift = <T extends Span>(span: T): T => ({ ...span, start: span.start + from, end: span.end + from });
    return scanBlocks(inside, new Lines(inside)).headings.map((heading) => {
      const line = lines.at(heading.start + from);
      return { ...shift(heading), content: shift(heading.content), line, lastLine: line };
    });
  });
}

/** The generator has its own rule for `#` at the end, and of a title over several lines takes the last. */
function tocSource({ text, lines }: KepDocument, { form, content, end, lastLine }: HeadingBlock): string {
  if (form === 'atx') return text.slice(content.start, end);
  return text.slice(lines.start(lastLine - 1), lines.end(lastLine - 1)).trim();
}

/** Looking for definitions costs a pass over the text, which most documents do not need. */
function definitionsFor({ text }: KepDocument, headings: readonly HeadingBlock[]): Definitions {
  return headings.some(({ source }) => source.includes('[')) ? linkDefinitions(text) : noDefinitions;
}
