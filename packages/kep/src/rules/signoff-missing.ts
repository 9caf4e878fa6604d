import { insertSection } from '../facts/insert-section.js';
import { defineRule, startOfFile } from '../facts/rule.js';
import { isSignoff, signoffSection } from '../facts/signoff-items.js';
import { bodyOf } from '../template/section-body.js';

/** The release team works from it. */
export const signoffMissing = defineRule({
  id: 'KEP206',
  slug: 'signoff-missing',
  summary: 'The release signoff checklist is present',
  of: 'kep',
  severity: { draft: 'info', gated: 'warn' },
  check(facts, report) {
    const { document, template, yaml } = facts;
    // What is implemented has been released without it.
    if (!document || yaml?.one('status')?.value === 'implemented' || signoffSection(document)) return;
    const wanted = template.sections.find(({ section }) => isSignoff(section));
    const edit = wanted && insertSection(facts, wanted, bodyOf(template.document, wanted, false));
    const fix = edit && { safety: 'safe' as const, edits: [edit] };
    report({ file: 'readme', span: startOfFile, message: 'there is no "Release Signoff Checklist"', fix });
  },
});
