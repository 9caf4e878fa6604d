import type { HeadingBlock } from './blocks.js';
import type { KepDocument } from './document.js';
import { githubAnchor, tocLine, tocLink } from './heading-names.js';
import { headingText } from './heading-text.js';
import { type Definitions, linkDefinitions, noDefinitions } from './link-definitions.js';
import { type MdtocHeading, mdtocHeadings } from './mdtoc-headings.js';
import { rememberingLast } from './remember.js';
import { escapeText } from './toc-inline.js';

/** Deeper headings are left out, as the generator of kubernetes/enhancements does it. */
export const defaultTocDepth = 5;

/**
 * The table of contents that `mdtoc` writes for a document with TOC marks, and
 * undefined for one without: headings behind the closing mark, two blanks for a
 * level, and GitHub's anchors restricted to ASCII.
 */
export function tableOfContents(document: KepDocument, options: TocOptions = {}): string | undefined {
  if (!document.toc) return undefined;
  return tocEntries(document, options)
    .map(({ depth, link }) => `${'  '.repeat(depth)}- ${link}`)
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
  /** Undefined for what only the generator takes for one. */
  readonly heading: HeadingBlock | undefined;
  /** Counted from 0. */
  readonly line: number;
  readonly depth: number;
  readonly link: string;
  readonly anchor: string;
}

/** The lines that the table has; none without TOC marks. */
export function tocEntries(document: KepDocument, options: TocOptions = {}): readonly TocEntry[] {
  const { engine = 'mdtoc', maxDepth = defaultTocDepth } = options;
  if (engine === 'github') return githubEntries(document, maxDepth);
  return maxDepth === defaultTocDepth ? defaultEntries(document) : mdtocEntries(document, maxDepth);
}

function mdtocEntries(document: KepDocument, maxDepth: number): readonly TocEntry[] {
  const listed = headingsForMdtoc(document);
  const definitions = definitionsFor(document, listed);
  const base = listed.reduce((least, { level }) => Math.min(least, level), 6);
  const { headings } = document.blocks;
  let next = 0;
  const used = new Map<string, number>();
  const entries: TocEntry[] = [];
  for (const { level, source, line } of listed) {
    if (level > maxDepth) continue;
    while ((headings[next]?.line ?? line) < line) next++;
    const heading = headings[next]?.line === line ? headings[next] : undefined;
    const isPlain = definitions.size === 0 || !source.includes('[');
    const names = isPlain && heading?.source === source ? heading.names : undefined;
    const { html, anchor, link } = names?.tocLine ?? tocLine(source, definitions);
    const own = unique(anchor, used);
    const ownLink = own === anchor ? link : tocLink(html, own);
    entries.push({ heading, line, depth: level - base, link: ownLink, anchor: own });
  }
  return entries;
}

const defaultEntries = rememberingLast((document: KepDocument) => mdtocEntries(document, defaultTocDepth));

/** The headings behind the closing mark as `mdtoc` sees them, with the lines of the document. */
const headingsForMdtoc = rememberingLast((document: KepDocument): readonly MdtocHeading[] => {
  const { toc, text, lines, blocks } = document;
  if (!toc) return [];
  if (lines.ending === 'lf') return mdtocHeadings(text, toc.close.start, { lines, headings: blocks.headings });
  const first = lines.at(toc.close.start);
  const listed = mdtocHeadings(text.slice(toc.close.start).replace(/\r\n?/g, '\n'));
  return listed.map(({ level, source, line }) => ({ level, source, line: line + first }));
});

function githubEntries(document: KepDocument, maxDepth: number): readonly TocEntry[] {
  const { toc, blocks } = document;
  if (!toc) return [];
  const anchors = anchorsByHeading(document);
  const definitions = definitionsFor(document, blocks.headings);
  const listed = blocks.headings.filter(({ start, level }) => start > toc.close.start && level <= maxDepth);
  const base = Math.min(...listed.map(({ level }) => level));
  return listed.map((heading) => {
    const anchor = anchors.get(heading) ?? '';
    const html = escapeText(headingText(heading.source, definitions).trim());
    return { heading, line: heading.line, depth: heading.level - base, link: tocLink(html, anchor), anchor };
  });
}

/** Whether the table between the marks is the one that the headings ask for. */
export function isTocCurrent(document: KepDocument, options: TocOptions = {}): boolean {
  const written = tocText(document)?.trim();
  if (written === undefined) return true;
  let at = 0;
  for (const { depth, link } of tocEntries(document, options)) {
    const lead = at === 0 ? '- ' : `\n${'  '.repeat(depth)}- `;
    if (!written.startsWith(lead, at) || !written.startsWith(link, at + lead.length)) return false;
    at += lead.length + link.length;
  }
  return at === written.length;
}

/** Returns the text between the marks of the table of contents, with `\n` for line endings. */
export function tocText(document: KepDocument): string | undefined {
  const { toc, text } = document;
  return toc && text.slice(toc.open.end, toc.close.start).replace(/\r\n?/g, '\n');
}

/** The headings on whose lines the table of contents finds none at any level, so that it cannot list them. */
export function headingsNotListed(document: KepDocument): readonly HeadingBlock[] {
  const listed = headingsForMdtoc(document);
  let next = 0;
  return document.blocks.headings.filter(({ line }) => {
    while (next < listed.length && (listed[next]?.line ?? line) < line) next++;
    return next === listed.length || listed[next]?.line !== line;
  });
}

/** The anchors that GitHub gives to all headings of a document, in order. */
export const githubAnchors = rememberingLast((document: KepDocument): readonly string[] => {
  const used = new Map<string, number>();
  const definitions = definitionsFor(document, document.blocks.headings);
  return document.blocks.headings.map(({ source, names }) => {
    const isPlain = definitions.size === 0 || !source.includes('[');
    const plain = isPlain ? names.githubAnchor : githubAnchor(headingText(source, definitions));
    const anchor = unique(plain, used);
    // GitHub also counts the anchors that it made up.
    if (!used.has(anchor)) used.set(anchor, 1);
    return anchor;
  });
});

/** The same anchors by heading. */
export function anchorsByHeading(document: KepDocument): ReadonlyMap<HeadingBlock, string> {
  const found = githubAnchors(document);
  return new Map(document.blocks.headings.map((heading, at) => [heading, found[at] ?? '']));
}

function unique(anchor: string, used: Map<string, number>): string {
  const times = used.get(anchor) ?? 0;
  used.set(anchor, times + 1);
  return times === 0 ? anchor : `${anchor}-${times}`;
}

/** Looking for definitions costs a pass over the text, which most documents do not need. */
function definitionsFor({ text }: KepDocument, headings: readonly { readonly source: string }[]): Definitions {
  return headings.some(({ source }) => source.includes('[')) ? linkDefinitions(text) : noDefinitions;
}
