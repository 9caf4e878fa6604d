import type { KepDocument } from '../document/document.js';
import { indentOf, lineEndingText } from '../document/lines.js';
import type { Section } from '../document/sections.js';
import { gapBefore } from '../template/placement.js';
import type { TemplateSection } from '../template/template.js';
import type { Change, UpgradeState } from './change.js';

/**
 * Templates up to 1.20 asked in bold list items, later ones in headings. The answer moves out of the
 * item: its lines lose the blanks that the item gave them, and nothing else.
 */
export function questionsToHeadings({ document, matches }: UpgradeState): Change[] {
  return [...matches].flatMap(([wanted, { section }]) => {
    if (section.form !== 'question' || !wanted.isQuestion || changesMeaning(document, section)) return [];
    return [
      {
        kind: 'heading' as const,
        title: section.title,
        message: `"${section.title}" becomes a heading`,
        edits: [headingEdit(document, section, wanted)],
      },
    ];
  });
}

function headingEdit(document: KepDocument, section: Section, wanted: TemplateSection) {
  const { lines, text } = document;
  const eol = lineEndingText(lines.ending);
  const start = lines.start(section.line);
  const answer = answerLines(document, section);
  while (answer[0]?.trim() === '') answer.shift();
  const gap = gapBefore(text.slice(Math.max(0, start - 200), start), eol);
  const heading = `${'#'.repeat(wanted.section.level)} ${wanted.title}`;
  return { start, end: lines.end(section.own.last), text: gap + [heading, '', ...answer].join(eol) };
}

/** Whether the first words of an answer would be more than text on a line of their own: a heading, a code block, HTML. */
function changesMeaning({ text, lines }: KepDocument, { textStart, own }: Section): boolean {
  return /^\s*(?:#{1,6}(?:\s|$)|```|~~~|<)/.test(text.slice(textStart, lines.end(own.first)));
}

/** The lines of an answer without the indentation of their item. */
function answerLines(document: KepDocument, section: Section): string[] {
  const { lines, text, blocks } = document;
  const item = blocks.items.find(({ line }) => line === section.line);
  const first = text.slice(section.textStart, lines.end(section.own.first)).trimStart();
  const rest: string[] = [];
  for (let line = section.own.first + 1; line <= section.own.last; line++) {
    rest.push(text.slice(lines.start(line), lines.end(line)));
  }
  const indents = rest.filter((line) => line.trim() !== '').map(indentOf);
  const depth = Math.max(item?.content ?? 0, Math.min(...indents, Number.MAX_SAFE_INTEGER));
  return [first, ...rest.map((line) => line.slice(Math.min(indentOf(line), depth)))];
}
