import { saysNothing } from './identifiers.js';
import { defineRule } from './rule.js';

/** A link to a proposal that moved tells nothing. */
export const refPath = defineRule({
  id: 'KEP517',
  slug: 'ref-path',
  summary: 'Related proposals exist',
  severity: { draft: 'warn', gated: 'error' },
  whenFrozen: true,
  check({ yaml, place, repository }, report) {
    if (!yaml) return;
    for (const name of ['see-also', 'replaces', 'superseded-by']) {
      for (const reference of yaml.many(name)) {
        const text = reference.value.trim();
        if (saysNothing(text) || /^https?:\/\//.test(text)) continue;
        const path = text
          .replace(/[#?].*$/, '')
          .replace(/^\.?\//, '')
          .replace(/\/+$/, '');
        if (!path.startsWith('keps/'))
          report({
            file: 'yaml',
            span: reference,
            message: `${name}: "${text}" is neither a path below /keps nor a URL`,
          });
        else if (place && !repository.exists(path))
          report({ file: 'yaml', span: reference, message: `${name}: there is no ${path}` });
      }
    }
  },
});
