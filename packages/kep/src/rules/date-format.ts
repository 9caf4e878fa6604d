import { defineRule } from '../facts/rule.js';

/** Only YYYY-MM-DD sorts and is read alike everywhere. */
export const dateFormat = defineRule({
  id: 'KEP513',
  slug: 'date-format',
  summary: 'Dates are dates',
  of: 'kep',
  severity: { draft: 'warn', gated: 'warn' },
  whenFrozen: true,
  check({ yaml }, report) {
    if (!yaml) return;
    const isDate = (text: string) => /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T.*)?$/.test(text);
    for (const name of ['creation-date', 'last-updated']) {
      const date = yaml.one(name);
      if (date && !isDate(date.value))
        report({ file: 'yaml', span: date, message: `${name}: "${date.value}" is not a date; write YYYY-MM-DD` });
    }
    const created = yaml.one('creation-date');
    const updated = yaml.one('last-updated');
    if (created && updated && isDate(created.value) && isDate(updated.value) && updated.value < created.value) {
      report({
        file: 'yaml',
        span: updated,
        message: `last-updated ${updated.value} is before creation-date ${created.value}`,
      });
    }
  },
});
