import { defineRule } from '../facts/rule.js';

/** Owners files of the directory decide who approves. */
export const sigVsDirectory = defineRule({
  id: 'KEP603',
  slug: 'sig-vs-directory',
  summary: 'The owning group is that of the directory',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml, place }, report) {
    const owner = yaml?.one('owning-sig');
    if (!owner || !place?.group || place.group === owner.value || place.group.startsWith('provider-')) return;
    report({ file: 'yaml', span: owner, message: `owning-sig is ${owner.value}, the directory says ${place.group}` });
  },
});
