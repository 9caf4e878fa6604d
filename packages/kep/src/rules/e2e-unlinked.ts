import { defineRule, type KepFacts } from '../facts/rule.js';
import { textOfSection } from '../facts/visible-text.js';
import { reaches } from '../metadata/stage.js';

/** Templates ask for links since this minor version. */
const firstMinor = 25;
const link =
  /https?:\/\/|\]\(|\btest\/e2e|_test\.go\b|\.go:\d|\]\[|\]:|\[sig-[\w-]+\]|\btestgrid\b|\bpull-kubernetes-/i;

const e2e = '(?:e2e|end[- ]to[- ]end)';
/** How authors say that there is no test to link to, and why. */
const reasons = [
  '^\\W*(?:n/?a|none|no|nothing|not applicable)\\b',
  `\\b(?:no|any|without) (?:[\\w-]+ ){0,3}${e2e}`,
  `\\b${e2e}(?: \\w+){0,3} (?:not|unnecessary|impossible|redundant)\\b`,
  "\\b(?:not|n['o]t|no) (?:be )?(?:needed|necessary|required|applicable|planned|useful|possible|feasible)",
  '\\b(?:already|fully|sufficiently|mostly|all) (?:be )?(?:covered|tested)',
  '\\bcovered (?:by|in|with)',
  '\\b(?:existing|equivalent|as) (?:[\\w/-]+ ){0,3}tests?\\b',
  '\\btests? (?:\\w+ ){0,2}(?:sufficient|suffice|enough|exempt|equivalent)',
  '\\bsee (?:the )?(?:above|unit|integration|other|following)',
  '\\bout of (?:tree|scope)',
  "\\bnot (?:\\w+ )?testable|\\bcan(?:not|'t) be tested|\\bexempt\\b|\\bredundant\\b",
];
const explained = new RegExp(reasons.join('|'), 'i');

/** Tests that exist have an address. */
export const e2eUnlinked = defineRule({
  id: 'KEP804',
  slug: 'e2e-unlinked',
  summary: 'From beta on e2e tests are linked',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check(facts, report) {
    const { document, assessed, stage } = facts;
    const match = assessed.find(({ wanted }) => wanted.norm === 'e2e tests')?.match;
    if (!document || !match || !reaches(stage, 'beta') || isOlder(facts)) return;
    const text = textOfSection(document, match.section);
    if (text === '' || link.test(text) || explained.test(text.replace(/\s+/g, ' '))) return;
    const message = `no e2e test is linked, which ${stage} asks for; link them, or say why there is none`;
    report({ file: 'readme', span: match.section.span, section: match.section, message });
  },
});

/** Whether the proposal was released before templates asked for links. */
function isOlder({ yaml, milestone }: KepFacts): boolean {
  return milestone === undefined ? yaml?.one('status')?.value === 'implemented' : milestone < firstMinor;
}
