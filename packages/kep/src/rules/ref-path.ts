import type { Span } from '../document/lines.js';
import { saysNothing } from '../facts/identifiers.js';
import { defineRule, type Fix, type RepositoryFacts } from '../facts/rule.js';

/** A link to a proposal that moved tells nothing. */
export const refPath = defineRule({
  id: 'KEP517',
  slug: 'ref-path',
  summary: 'Related proposals exist',
  of: 'kep',
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
        const fix = movedTo(path, reference, repository);
        if (!path.startsWith('keps/'))
          report({
            file: 'yaml',
            span: reference,
            message: `${name}: "${text}" is neither a path below /keps nor a URL`,
            fix,
          });
        else if (place && !repository.exists(path))
          report({ file: 'yaml', span: reference, message: `${name}: there is no ${path}`, fix });
      }
    }
  },
});

/** The only proposal with the number in a path: surely the one that is meant when its folder has the same name. */
function movedTo(path: string, { start, end }: Span, repository: RepositoryFacts): Fix | undefined {
  const [, folder = '', number = ''] = /(?:^|\/)((\d+)-[\w.-]+)(?:\/(?:README\.md|kep\.yaml))?$/.exec(path) ?? [];
  const [found, ...others] = number === '' ? [] : repository.sameNumber(number);
  if (found === undefined || others.length > 0 || found === path) return undefined;
  const safety = found.split('/').at(-1) === folder ? 'safe' : 'unsafe';
  return { safety, edits: [{ start, end, text: JSON.stringify(`/${found}`) }] };
}
