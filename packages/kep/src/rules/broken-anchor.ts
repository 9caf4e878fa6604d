import { githubAnchors } from '../document/toc.js';
import { inlineLinks } from './inline-links.js';
import { defineRule } from './rule.js';

/** A reader who follows the link stays where they are. */
export const brokenAnchor = defineRule({
  id: 'KEP406',
  slug: 'broken-anchor',
  summary: 'Links within the document lead somewhere',
  severity: { draft: 'warn', gated: 'warn' },
  whenFrozen: true,
  check({ document }, report) {
    if (!document) return;
    const anchors = new Set(githubAnchors(document));
    for (const found of document.text.matchAll(/<a\s[^<>]{0,100}?(?:name|id)="([^"<>]{1,200})"/g))
      anchors.add(found[1] ?? '');
    const inToc = (at: number) =>
      document.toc !== undefined && at > document.toc.open.start && at < document.toc.close.end;
    for (const link of inlineLinks(document)) {
      if (!link.target.startsWith('#') || link.target === '#' || inToc(link.start)) continue;
      const anchor = link.target.slice(1);
      if (!anchors.has(anchor) && !anchors.has(anchor.toLowerCase()))
        report({ file: 'readme', span: link, message: `no heading has the anchor #${anchor}` });
    }
  },
});
