import { defineRule } from '../facts/rule.js';

/** A copied title sends readers to another proposal. */
export const titleNumber = defineRule({
  id: 'KEP604',
  slug: 'title-number',
  summary: 'The number in the title is that of `kep.yaml`',
  of: 'kep',
  severity: { draft: 'warn', gated: 'error' },
  check({ document, yaml, place }, report) {
    const title = document?.sections.find(({ level }) => level === 1);
    const inTitle = /KEP[- #]?(\d+)/i.exec(title?.title ?? '')?.[1];
    const number = yaml?.one('kep-number')?.value;
    if (!title || !inTitle || !number || !/^\d+$/.test(number) || Number(number) === Number(inTitle)) return;
    const at = document?.text.indexOf(inTitle, title.span.start) ?? -1;
    const isSure = at >= 0 && at < title.span.end && Number(place?.number) === Number(number);
    report({
      file: 'readme',
      span: title.span,
      section: title,
      message: `the title says KEP-${inTitle}, kep.yaml says ${number}`,
      fix: isSure
        ? { safety: 'safe', edits: [{ start: at, end: at + inTitle.length, text: String(Number(number)) }] }
        : undefined,
    });
  },
});
