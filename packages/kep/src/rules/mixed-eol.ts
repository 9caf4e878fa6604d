import { defineRule } from '../facts/rule.js';

/** Mixed line ends show every line as changed in some editors. */
export const mixedEol = defineRule({
  id: 'KEP004',
  slug: 'mixed-eol',
  summary: 'All lines end alike',
  severity: { draft: 'warn', gated: 'warn' },
  whenFrozen: true,
  check({ document }, report) {
    if (document?.lines.ending !== 'mixed') return;
    const ends = [...document.text.matchAll(/\r\n|\r|\n/g)];
    const crlf = ends.filter(([end]) => end === '\r\n').length;
    const wanted = crlf * 2 > ends.length ? '\r\n' : '\n';
    const wrong = ends.filter(([end]) => end !== wanted);
    const edits = wrong.map((end) => ({ start: end.index, end: end.index + end[0].length, text: wanted }));
    const start = wrong[0]?.index ?? 0;
    const message = `${wrong.length} of ${ends.length} lines end in another way than the others`;
    report({ file: 'readme', span: { start, end: start }, message, fix: { safety: 'safe', edits } });
  },
});
