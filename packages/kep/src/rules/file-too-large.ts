import { maxHeadings } from '../document/blocks.js';
import { defineRule, startOfFile } from '../facts/rule.js';

/** Larger files than 2 MiB are no proposals; the largest known one has 170 KB and 300 headings. The rest is not checked. */
export const fileTooLarge = defineRule({
  id: 'KEP001',
  slug: 'file-too-large',
  summary: 'The README is small enough to be read',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  unsuppressible: true,
  check({ document, source }, report) {
    const leftOut = document?.blocks.firstHeadingLeftOut;
    if (document && leftOut !== undefined) {
      const start = document.lines.start(leftOut);
      const message = `the file has more than ${maxHeadings} headings; from here on they are read as text`;
      report({ file: 'readme', span: { start, end: start }, message });
    }
    if (!source || source.bytes <= source.limitBytes) return;
    const size = `${(source.bytes / 1024 / 1024).toFixed(1)} MiB`;
    report({
      file: 'readme',
      span: startOfFile,
      message: `the file is ${size} large; the limit is ${source.limitBytes / 1024 / 1024} MiB`,
    });
  },
});
