import { defaultTocDepth, isSeen } from '../document/toc.js';
import { defineRule } from './rule.js';

/** The generator leaves out headings with blanks before them and those in lists. */
export const headingHiddenFromToc = defineRule({
  id: 'KEP404',
  slug: 'heading-hidden-from-toc',
  summary: 'Headings are seen by the table of contents',
  severity: { draft: 'warn', gated: 'warn' },
  check({ document }, report) {
    if (!document?.toc) return;
    for (const heading of document.blocks.headings) {
      if (
        heading.form !== 'atx' ||
        heading.level > defaultTocDepth ||
        isSeen(heading) ||
        heading.start < document.toc.close.end
      )
        continue;
      const start = document.lines.start(heading.line);
      const fix = heading.inList
        ? undefined
        : { safety: 'safe' as const, edits: [{ start, end: heading.start, text: '' }] };
      report({ file: 'readme', span: heading, message: `the table of contents leaves out "${heading.source}"`, fix });
    }
  },
});
