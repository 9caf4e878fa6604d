import { linksOf, localPath } from '../facts/links.js';
import { defineRule } from '../facts/rule.js';

/** A reader who follows the link finds nothing. */
export const brokenFileLink = defineRule({
  id: 'KEP405',
  slug: 'broken-file-link',
  summary: 'Links to files lead somewhere',
  severity: { draft: 'warn', gated: 'error' },
  whenFrozen: true,
  check({ document, place, repository }, report) {
    if (!document || !place) return;
    for (const link of linksOf(document)) {
      const path = localPath(link.target, place.directory);
      if (path !== undefined && !repository.exists(path))
        report({ file: 'readme', span: link, message: messageFor(link.target, path) });
    }
  },
});

/** An address without its scheme leads to a file of that name. */
function messageFor(target: string, path: string): string {
  const address = /^\(+(https?:[^()]+)\)*$/.exec(target)?.[1];
  if (address) return `write ${address} without parentheses: there is no file of this name`;
  return /^(?:[\w-]+\.)+(?:com|io|org|dev|net)(?:\/|$)/.test(target)
    ? `there is no file ${target}; write https:// before the address`
    : `there is no file ${path}`;
}
