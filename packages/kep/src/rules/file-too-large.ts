import { defineRule, startOfFile } from './rule.js';

/** Larger files than 2 MiB are no proposals; the largest known one has 170 KB. The rest of it is not checked. */
export const fileTooLarge = defineRule({
  id: 'KEP001',
  slug: 'file-too-large',
  summary: 'The README is small enough to be read',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  unsuppressible: true,
  check({ source }, report) {
    if (!source || source.bytes <= source.limitBytes) return;
    const size = `${(source.bytes / 1024 / 1024).toFixed(1)} MiB`;
    report({
      file: 'readme',
      span: startOfFile,
      message: `the file is ${size} large; the limit is ${source.limitBytes / 1024 / 1024} MiB`,
    });
  },
});
