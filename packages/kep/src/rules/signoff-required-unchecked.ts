import type { CheckItem } from '../document/checklist.js';
import { headingText } from '../document/heading-text.js';
import { defineRule, type KepFacts } from '../facts/rule.js';
import { signoffItems } from '../facts/signoff-items.js';
import { reaches } from '../metadata/stage.js';

/** Items marked (R) have to be done before a release takes the enhancement. */
export const signoffRequiredUnchecked = defineRule({
  id: 'KEP207',
  slug: 'signoff-required-unchecked',
  summary: 'What is required for a release is ticked',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check(facts, report) {
    const { document, yaml } = facts;
    // KEP209 is about implemented proposals.
    if (!document || yaml?.one('status')?.value === 'implemented') return;
    const items = signoffItems(document);
    const open = items.filter((item) => item.isRequired && !item.checked && isDue(item, facts));
    const [first] = open;
    if (!first || items.every(({ checked }) => !checked)) return;
    const message =
      open.length === 1
        ? `required for a release and not ticked: ${titleOf(first)}`
        : `${open.length} items are required for a release and not ticked, the first is: ${titleOf(first)}`;
    report({ file: 'readme', span: first, message });
  },
});

/** Items about GA are due at stable, and those about production readiness once it is approved. */
function isDue({ text }: CheckItem, { stage, approval }: KepFacts): boolean {
  if (/\bGA\b/.test(text)) return reaches(stage, 'stable');
  if (/^\W*(?:\(R\)\W*)?production readiness review/i.test(text)) return approval?.stages.get(stage) !== undefined;
  return true;
}

function titleOf({ text }: CheckItem): string {
  const title = headingText(text.replace(/^\W*\(R\)\s*/, '')).trim();
  return title.length > 60 ? `${title.slice(0, 59)}…` : title;
}
