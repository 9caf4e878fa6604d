import { githubAnchors, tocEntries } from '../document/toc.js';
import { defineRule } from '../facts/rule.js';

/** The generator counts equal titles in another way than GitHub does. */
export const tocAnchorDiffersOnGithub = defineRule({
  id: 'KEP403',
  slug: 'toc-anchor-differs-on-github',
  summary: 'The links of the table of contents work on GitHub',
  severity: { draft: 'warn', gated: 'warn' },
  check({ document }, report) {
    if (!document?.toc) return;
    const anchors = githubAnchors(document);
    let at = 0;
    for (const { heading, anchor } of tocEntries(document)) {
      if (!heading) continue;
      at = document.blocks.headings.indexOf(heading, at);
      const github = anchors[at];
      if (github === anchor) continue;
      const message = `the table of contents links #${anchor}; on GitHub this heading is #${github}`;
      report({ file: 'readme', span: heading, message });
    }
  },
});
