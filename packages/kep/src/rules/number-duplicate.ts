import { defineRule, startOfFile } from '../facts/rule.js';

/** The number is that of the tracking issue, and there is one. */
export const numberDuplicate = defineRule({
  id: 'KEP602',
  slug: 'number-duplicate',
  summary: 'No other proposal has this number',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml, place, repository, declared }, report) {
    if (declared) {
      const numbered = declared.kind.files.text.includes('{number') ? place?.number : undefined;
      const same =
        numbered === undefined ? [] : repository.sameNumber(numbered).filter((path) => path !== declared.path);
      if (same.length > 0)
        report({ file: 'readme', span: startOfFile, message: `${same.join(', ')} has number ${numbered} too` });
      return;
    }
    const number = yaml?.one('kep-number');
    if (!number || !/^\d+$/.test(number.value)) return;
    const others = repository.sameNumber(number.value).filter((directory) => directory !== place?.directory);
    if (others.length > 0)
      report({ file: 'yaml', span: number, message: `${others.join(', ')} has number ${number.value} too` });
  },
});
