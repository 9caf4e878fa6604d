import { type KepDocument, parseDocument } from '../document/document.js';
import { lineEndingText } from '../document/lines.js';
import type { Section } from '../document/sections.js';
import { tableOfContents } from '../document/toc.js';
import { defineRule, startOfFile } from '../facts/rule.js';
import { tocEdit } from '../facts/toc-edit.js';
import { applyEdits, type Edit } from '../metadata/edit.js';
import { gapBefore } from '../template/placement.js';

/** Long documents need one, and the checks of kubernetes/enhancements ask for it. */
export const tocMissing = defineRule({
  id: 'KEP401',
  slug: 'toc-missing',
  summary: 'The README has a table of contents',
  severity: { draft: 'warn', gated: 'error' },
  check({ document, declared, template }, report) {
    if (declared && !template.document.toc) return;
    if (!document || document.toc || document.sections.filter(({ form }) => form === 'heading').length < 4) return;
    const title = document.sections.find(({ level, form }) => level === 1 && form === 'heading');
    report({
      file: 'readme',
      span: title?.span ?? startOfFile,
      message: 'there is no table of contents between <!-- toc --> and <!-- /toc -->',
      fix: title && { safety: 'safe', edits: [newTable(document, title)] },
    });
  },
});

/** The table between its marks, in front of the first section below the title. */
function newTable(document: KepDocument, title: Section): Edit {
  const { text, lines, sections } = document;
  const eol = lineEndingText(lines.ending);
  const first = sections.find(({ line, form }) => line > title.line && form === 'heading');
  const at = first ? lines.start(first.line) : text.length;
  const gap = gapBefore(text.slice(Math.max(0, at - 200), at), eol);
  const marks = `${gap}<!-- toc -->${eol}<!-- /toc -->${eol}${eol}`;
  const marked = parseDocument(text.slice(0, at) + marks + text.slice(at));
  const table = tableOfContents(marked) ?? '';
  return { start: at, end: at, text: applyEdits(marks, [shifted(tocEdit(marked, table), -at)]) };
}

function shifted({ start, end, text }: Edit, by: number): Edit {
  return { start: start + by, end: end + by, text };
}
