import { githubAnchors } from '../document/toc.js';
import { type Link, linksOf } from '../facts/links.js';
import { defineRule } from '../facts/rule.js';

/** A reader who follows the link stays where they are. */
export const brokenAnchor = defineRule({
  id: 'KEP406',
  slug: 'broken-anchor',
  summary: 'Links within the document lead somewhere',
  severity: { draft: 'warn', gated: 'warn' },
  whenFrozen: true,
  check({ document }, report) {
    if (!document) return;
    const { toc } = document;
    const inToc = (at: number) => toc !== undefined && at > toc.open.start && at < toc.close.end;
    const toAnchor = ({ target, start }: Link) => target.startsWith('#') && target !== '#' && !inToc(start);
    const links = linksOf(document).filter(toAnchor);
    if (links.length === 0) return;
    const anchors = new Set(githubAnchors(document));
    if (document.text.includes('="'))
      for (const found of document.text.matchAll(/<[a-z]\w{0,20}\s[^<>]{0,100}?\b(?:name|id)="([^"<>]{1,200})"/g))
        anchors.add(found[1] ?? '');
    let near: NearAnchors | undefined;
    for (const link of links) {
      const anchor = link.target.slice(1);
      if (anchors.has(anchor) || anchors.has(anchor.toLowerCase())) continue;
      near ??= [...anchors].map((each) => [each, comparable(each)]);
      report({
        file: 'readme',
        span: link,
        message: `no heading has the anchor #${anchor}${nearAnchor(anchor, near)}`,
      });
    }
  },
});

/** Anchors, and how each is compared with one that is typed. */
type NearAnchors = readonly (readonly [string, string])[];

/** The anchor that is meant, where only some marks or the end of a title differ. */
function nearAnchor(typed: string, anchors: NearAnchors): string {
  const plain = comparable(typed);
  if (plain.length < 4) return '';
  const found = anchors.filter(
    ([, other]) =>
      other === plain ||
      (plain.length > 9 && (other.startsWith(plain) || (plain.startsWith(other) && other.length > 9))),
  );
  return found.length === 1 ? `; did you mean #${found[0]?.[0]}?` : '';
}

function comparable(anchor: string): string {
  return anchor.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
