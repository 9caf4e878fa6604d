import { defineRule, startOfFile } from './rule.js';

/** Tools that cannot read it leave the proposal out. */
export const yamlSyntax = defineRule({
  id: 'KEP501',
  slug: 'yaml-syntax',
  summary: '`kep.yaml` can be read',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  unsuppressible: true,
  check({ yaml, approval }, report) {
    const all = [
      ...(yaml?.problems ?? []).map((problem) => ({ problem, file: 'yaml' as const, lines: yaml?.lines })),
      ...(approval?.problems ?? []).map((problem) => ({ problem, file: 'approval' as const, lines: approval?.lines })),
    ];
    for (const { problem, file, lines } of all) {
      const start = (lines?.start(problem.line - 1) ?? 0) + problem.column - 1;
      report({ file, span: { start, end: start + 1 }, message: problem.problem });
    }
    if (yaml && yaml.problems.length === 0 && !yaml.root)
      report({ file: 'yaml', span: startOfFile, message: 'the file holds no fields' });
  },
});
