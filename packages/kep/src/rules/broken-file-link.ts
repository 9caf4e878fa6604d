import { inlineLinks, localPath } from './inline-links.js';
import { defineRule } from './rule.js';

/** A reader who follows the link finds nothing. */
export const brokenFileLink = defineRule({
  id: 'KEP405',
  slug: 'broken-file-link',
  summary: 'Links to files lead somewhere',
  severity: { draft: 'warn', gated: 'error' },
  whenFrozen: true,
  check({ document, place, repository }, report) {
    if (!document || !place) return;
    for (const link of inlineLinks(document)) {
      const path = localPath(link.target, place.directory);
      if (path !== undefined && !repository.exists(path))
        report({ file: 'readme', span: link, message: `there is no file ${path}` });
    }
  },
});
