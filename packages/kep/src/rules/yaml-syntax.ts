import type { Span } from '../document/lines.js';
import { defineRule, startOfFile } from '../facts/rule.js';

/** Tools that cannot read it leave the proposal out. */
export const yamlSyntax = defineRule({
  id: 'KEP501',
  slug: 'yaml-syntax',
  summary: 'The metadata can be read',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  unsuppressible: true,
  check({ yaml, approval, declared }, report) {
    const all = [
      ...(yaml?.problems ?? []).map((problem) => ({ problem, file: 'yaml' as const, lines: yaml?.lines })),
      ...(approval?.problems ?? []).map((problem) => ({ problem, file: 'approval' as const, lines: approval?.lines })),
      ...(declared?.metadata.file === 'readme' ? declared.metadata.problems : []).map((problem) => ({
        problem,
        file: 'readme' as const,
        lines: declared?.metadata.lines,
      })),
    ];
    for (const { problem, file, lines } of all) {
      const start = (lines?.start(problem.line - 1) ?? 0) + problem.column - 1;
      report({ file, span: { start, end: start + 1 }, message: problem.problem });
    }
    if (yaml && yaml.problems.length === 0 && !yaml.root)
      report({ file: 'yaml', span: startOfFile, message: 'the file holds no fields' });
    for (const [file, text] of [
      ['yaml', yaml?.text],
      ['approval', approval?.text],
    ] as const) {
      if (!text?.includes('\t')) continue;
      for (const { index, 0: indent } of text.matchAll(/^ *\t/gm))
        report({ file, span: { start: index, end: index + indent.length }, message: 'a tab at the start of a line' });
    }
    const cut = yaml && !declared && dashesThatCut(yaml.text);
    if (cut)
      report({ file: 'yaml', span: cut, message: 'upstream\'s tools read no field before or after a line with "---"' });
  },
});

/**
 * Where `---` keeps the tools of kubernetes/enhancements from some fields: of a text with such lines, they read what is between
 * the first and the second, whatever else is on these lines.
 */
function dashesThatCut(text: string): Span | undefined {
  if (!text.includes('---')) return undefined;
  const marks: Span[] = [];
  let isCut = false;
  for (const { index, 0: line } of text.matchAll(/^.*$/gm)) {
    const at = line.indexOf('---');
    if (at >= 0) marks.push({ start: index + at, end: index + at + 3 });
    const isRead = at < 0 && marks.length === 1;
    if (!isRead && /^\s*[^#\s-]|^\s*-(?!--\s*$)/.test(line)) isCut = true;
  }
  return marks.length > 0 && isCut ? marks[0] : undefined;
}
