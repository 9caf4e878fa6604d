import { defineRule, startOfFile } from '../facts/rule.js';

/** Operators plan their way back before they switch something on. */
export const disableSupportedMissing = defineRule({
  id: 'KEP519',
  slug: 'disable-supported-missing',
  summary: '`disable-supported` is answered',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ yaml }, report) {
    if (!yaml?.root || yaml.disableSupported) return;
    report({
      file: 'yaml',
      span: yaml.key('disable-supported') ?? startOfFile,
      message: '"disable-supported" is neither true nor false',
    });
  },
});
