import type { HeadingBlock } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import { defaultTocDepth, headingsNotListed } from '../document/toc.js';
import { defineRule } from '../facts/rule.js';
import type { Edit } from '../metadata/edit.js';

/** The generator leaves out headings with blanks before them or a tab behind their marks, and most in lists and HTML elements. */
export const headingHiddenFromToc = defineRule({
  id: 'KEP404',
  slug: 'heading-hidden-from-toc',
  summary: 'Headings are seen by the table of contents',
  severity: { draft: 'warn', gated: 'warn' },
  check({ document }, report) {
    if (!document?.toc) return;
    for (const heading of headingsNotListed(document)) {
      if (heading.form !== 'atx' || heading.level > defaultTocDepth || heading.start < document.toc.close.end) continue;
      const edits = heading.inList ? [] : [...outdented(document, heading), ...untabbed(document, heading)];
      const fix = edits.length > 0 ? { safety: 'safe' as const, edits } : undefined;
      report({ file: 'readme', span: heading, message: `the table of contents leaves out "${heading.source}"`, fix });
    }
  },
});

function outdented({ lines }: KepDocument, { line, start }: HeadingBlock): readonly Edit[] {
  const from = lines.start(line);
  return from === start ? [] : [{ start: from, end: start, text: '' }];
}

function untabbed({ text }: KepDocument, { start, level, content }: HeadingBlock): readonly Edit[] {
  const behind = start + level;
  return text[behind] === '\t' ? [{ start: behind, end: content.start, text: ' ' }] : [];
}
