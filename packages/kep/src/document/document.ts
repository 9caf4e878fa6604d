import { type Blocks, type FenceBlock, lineKind } from './blocks.js';
import { type CheckItem, readChecklist } from './checklist.js';
import { type Comment, readComment } from './comments.js';
import { type Directive, parseDirective } from './directive.js';
import { firstIndex } from './first-index.js';
import { inlineComments } from './inline-comments.js';
import { Lines, type Span } from './lines.js';
import { scanBlocks } from './scan-blocks.js';
import { readSections, type Section } from './sections.js';
import { readSuppressions, type Suppression } from './suppressions.js';
import { readUnresolved, type Unresolved } from './unresolved.js';

/** A directive and the section that it stands below. */
export interface AttachedDirective extends Directive {
  /** Undefined when it stands before the first heading. */
  readonly section: Section | undefined;
  /** Text stands between the heading and the directive. */
  readonly detached: boolean;
}

/** A proposal, or a template, as the rules see it. Every span is in offsets of `text`. */
export interface KepDocument {
  readonly text: string;
  readonly lines: Lines;
  readonly blocks: Blocks;
  readonly bom: boolean;
  /** In order of appearance, nested ones included. */
  readonly sections: readonly Section[];
  readonly comments: readonly Comment[];
  readonly directives: readonly AttachedDirective[];
  readonly suppressions: readonly Suppression[];
  readonly checklist: readonly CheckItem[];
  readonly unresolved: readonly Unresolved[];
  readonly fences: readonly FenceBlock[];
  /** The marks around the table of contents, as the generator finds them: the first of each. */
  readonly toc: { readonly open: Span; readonly close: Span } | undefined;
}

/** Reads a document. Never throws, whatever the text; takes time linear in its length. */
export function parseDocument(text: string): KepDocument {
  const lines = new Lines(text);
  const blocks = scanBlocks(text, lines);
  const comments = [...blocks.comments, ...inlineComments(text, blocks.runs)]
    .sort((one, other) => one.start - other.start)
    .map((block) => readComment(text, block));
  const sections = readSections(text, lines, blocks);
  const sectionEnd = (line: number) => sectionAt(sections, line)?.all.last ?? lines.count - 1;
  return {
    text,
    lines,
    blocks,
    bom: text.charCodeAt(0) === 0xfeff,
    sections,
    comments,
    directives: attach(text, lines, blocks, comments, sections),
    suppressions: readSuppressions(comments, lines, sectionEnd),
    checklist: readChecklist(text, lines, blocks),
    unresolved: readUnresolved(text, lines, comments),
    fences: blocks.fences,
    toc: tocMarks(text),
  };
}

/** The innermost section that holds a line, or undefined before the first. */
export function sectionAt(sections: readonly Section[], line: number): Section | undefined {
  return sections[firstIndex(sections, (section) => section.line > line) - 1];
}

function attach(
  text: string,
  lines: Lines,
  blocks: Blocks,
  comments: readonly Comment[],
  sections: readonly Section[],
): AttachedDirective[] {
  const found: AttachedDirective[] = [];
  for (const comment of comments) {
    if (comment.kind !== 'directive') continue;
    const line = lines.at(comment.start);
    const section = sectionAt(sections, line);
    let detached = false;
    for (let each = section?.own.first ?? line; each < line && !detached; each++) {
      const kind = blocks.kinds[each];
      detached = kind !== lineKind.blank && kind !== lineKind.html;
    }
    found.push({ ...parseDirective(text.slice(comment.start, comment.end), comment.start), section, detached });
  }
  return found;
}

function tocMarks(text: string): KepDocument['toc'] {
  const open = firstOf(text, '<!-- toc -->', /<!-- toc -->/i);
  const close = firstOf(text, '<!-- /toc -->', /<!-- \/toc -->/i);
  return open && close && open.start < close.start ? { open, close } : undefined;
}

/** The first occurrence of a mark; in odd letter case only when there is none as it is mostly written. */
function firstOf(text: string, mark: string, anyCase: RegExp): Span | undefined {
  const start = text.includes(mark) ? text.indexOf(mark) : text.search(anyCase);
  return start < 0 ? undefined : { start, end: start + mark.length };
}
