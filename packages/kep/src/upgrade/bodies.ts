import { lineKind } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import { comparableLine, fingerprint } from '../document/fingerprint.js';
import { lineEndingText } from '../document/lines.js';
import type { Section } from '../document/sections.js';
import { isAnswered } from '../template/answered.js';
import { guidanceComments, wholeLines } from '../template/guidance-comments.js';
import { knownScaffold } from '../template/known-scaffold.js';
import { bodyOf } from '../template/section-body.js';
import type { Template, TemplateSection } from '../template/template.js';
import { type Change, ownMatch, type UpgradeState } from './change.js';

/** Sections in which the author wrote nothing yet get what the new template has below their heading. */
export function newBodies(state: UpgradeState): Change[] {
  const { document, template, answers } = state;
  const known = templateLines(template);
  return template.sections.flatMap((wanted) => {
    const section = ownMatch(state, wanted);
    const answer = answers.get(wanted);
    if (section?.form !== 'heading' || section.level === 1) return [];
    if (answer === undefined || isAnswered(answer) || hasAuthorLine(document, section, template, known)) return [];
    const edit = bodyEdit(state, section, wanted);
    if (!edit) return [];
    const message = `"${section.title}" is not filled in and gets the text of the template`;
    return [{ kind: 'body' as const, title: section.title, message, edits: [edit] }];
  });
}

/**
 * Instructions of templates go where the author has written something; those of the new template stay where the author
 * has not.
 */
export function oldGuidance(state: UpgradeState): Change[] {
  const { document, template, answers, guidance } = state;
  const known = templateLines(template);
  const current = new Set(template.document.comments.map(({ body }) => body.replace(/\s+/g, ' ')));
  const open = new Set<Section>();
  for (const wanted of template.sections) {
    const section = ownMatch(state, wanted);
    const answer = answers.get(wanted);
    if (section && section.level > 1 && answer !== undefined && !isAnswered(answer)) open.add(section);
  }
  return guidanceComments(document).flatMap(({ comment }) => {
    const line = document.lines.at(comment.start);
    const section = document.sections.findLast((each) => each.line <= line);
    if (section && open.has(section)) return [];
    const isUntouched = section ? !hasAuthorLine(document, section, template, known) : open.size > 0;
    if (guidance && isUntouched && current.has(comment.body.replace(/\s+/g, ' '))) return [];
    const title = section?.title ?? '';
    const message = `the instructions ${section ? `below "${title}"` : 'before the title'} go`;
    return [{ kind: 'guidance' as const, title, message, edits: [wholeLines(document, comment)] }];
  });
}

function bodyEdit({ document, template, guidance }: UpgradeState, section: Section, wanted: TemplateSection) {
  const { lines, text } = document;
  const { first, last } = section.own;
  const start = lines.start(first);
  const end = last + 1 < lines.count ? lines.start(last + 1) : text.length;
  const directives = document.directives
    .filter((directive) => directive.section === section)
    .map((directive) => text.slice(directive.start, directive.end));
  const body = bodyOf(template.document, wanted, guidance);
  const parts = [...directives, ...(body === '' ? [] : [...(directives.length > 0 ? [] : ['']), body])];
  const wished = parts.join('\n');
  const there = text.slice(start, end).replace(/\r\n?/g, '\n').trim();
  if (there === wished.trim()) return undefined;
  const eol = lineEndingText(lines.ending);
  return { start, end, text: `${wished}\n\n`.replace(/^\n+$/, '\n').replaceAll('\n', eol) };
}

/** The comparable lines of a template, its instructions included. */
function templateLines({ document }: Template): ReadonlySet<string> {
  return new Set(
    document.text
      .split(/\r\n|\r|\n/)
      .map((line) => comparableLine(line))
      .filter((line) => line !== '')
      .map(fingerprint),
  );
}

/**
 * Whether a line below a heading is neither blank nor from a template. Ticks, definitions of links and
 * comments with a meaning of their own are the author's.
 */
function hasAuthorLine(
  document: KepDocument,
  section: Section,
  template: Template,
  known: ReadonlySet<string>,
): boolean {
  const { lines, text, blocks } = document;
  const theirs = new Set(template.document.comments.map(({ body }) => body.replace(/\s+/g, ' ')));
  const guidance = new Set(guidanceComments(document).map(({ comment }) => comment));
  const start = lines.start(section.own.first);
  const end = lines.end(section.own.last);
  for (const comment of document.comments) {
    if (comment.end <= start || comment.start >= end || comment.kind === 'directive' || comment.kind === 'toc')
      continue;
    const isKnown =
      guidance.has(comment) || (comment.kind === 'other' && theirs.has(comment.body.replace(/\s+/g, ' ')));
    if (!isKnown) return true;
  }
  const ticked = new Set(document.checklist.filter(({ checked }) => checked).map(({ line }) => line));
  let next = document.comments.findIndex((comment) => comment.end > start);
  for (let line = section.own.first; line <= section.own.last; line++) {
    const kind = blocks.kinds[line];
    while (next >= 0 && (document.comments[next]?.end ?? Number.POSITIVE_INFINITY) < lines.start(line)) next++;
    const comment = next < 0 ? undefined : document.comments[next];
    const isComment = comment !== undefined && comment.start <= lines.start(line) && comment.end >= lines.end(line);
    if (kind === lineKind.blank || isComment || isInToc(document, lines.start(line))) continue;
    const comparable = comparableLine(text.slice(lines.start(line), lines.end(line)));
    if (comparable === '') continue;
    if (ticked.has(line) || kind === lineKind.fence || /^\[[^\]]+\]:/.test(comparable)) return true;
    const print = fingerprint(comparable);
    if (!knownScaffold.has(print) && !known.has(print)) return true;
  }
  return false;
}

function isInToc({ toc }: KepDocument, at: number): boolean {
  return toc !== undefined && toc.open.start <= at && at < toc.close.end;
}
