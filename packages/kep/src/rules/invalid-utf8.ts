import { defineRule, startOfFile } from '../facts/rule.js';

/** Other encodings show as garbage on every page that renders them. */
export const invalidUtf8 = defineRule({
  id: 'KEP002',
  slug: 'invalid-utf8',
  summary: 'The README is UTF-8',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  unsuppressible: true,
  check({ source }, report) {
    if (source?.encoding === 'utf-16') {
      report({ file: 'readme', span: startOfFile, message: 'the file is UTF-16; save it as UTF-8' });
    } else if (source?.invalidAt !== undefined) {
      const span = { start: source.invalidAt, end: source.invalidAt + 1 };
      report({ file: 'readme', span, message: 'here stands a byte that is not UTF-8; it looks like another encoding' });
    }
  },
});
