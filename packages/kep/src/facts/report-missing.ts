import { rememberingLast } from '../document/remember.js';
import type { Assessed } from '../template/assess.js';
import type { TemplateSection } from '../template/template.js';
import { insertSection } from './insert-section.js';
import { type KepFacts, type Report, startOfFile } from './rule.js';

/** Returns the required sections that are missing. Of a missing section with subsections, only the section itself. */
export function missingSections({ document, assessed }: KepFacts): readonly Assessed[] {
  return document ? missingOf(assessed) : [];
}

const missingOf = rememberingLast((assessed: readonly Assessed[]): readonly Assessed[] => {
  const absent = new Set(assessed.filter(({ demanded, match }) => demanded && !match).map(({ wanted }) => wanted));
  return assessed.filter(
    ({ wanted }) => absent.has(wanted) && wanted.section.level > 1 && !(wanted.parent && absent.has(wanted.parent)),
  );
});

function isMissingBelow({ wanted: part, demanded, match }: Assessed, whole: TemplateSection): boolean {
  for (let each = part.parent; each; each = each.parent) if (each === whole) return demanded && !match;
  return false;
}

/** Reports a section at the heading that it belongs under, or at the title. */
export function reportMissing(facts: KepFacts, wanted: TemplateSection, report: (found: Report) => void): void {
  const { assessed, document } = facts;
  const folded = wanted.children.length > 0 ? assessed.filter((each) => isMissingBelow(each, wanted)).length : 0;
  const parent = assessed.find((each) => each.wanted === wanted.parent)?.match?.section;
  const since = wanted.since === undefined ? '' : `, since v1.${wanted.since}`;
  const more = folded > 0 ? `, nor ${folded === 1 ? 'is one heading' : `are ${folded} headings`} below it` : '';
  const edit = insertSection(facts, wanted);
  report({
    file: 'readme',
    span: parent?.span ?? document?.sections[0]?.span ?? startOfFile,
    section: wanted.section,
    message: `"${wanted.title}" ${demandOf(wanted)}${since}, and is missing${more}`,
    fix: edit && { safety: 'safe', edits: [edit] },
  });
}

/** Says from when on a section is required; kinds without stages require it at once. */
export function demandOf({ stage }: TemplateSection): string {
  return stage === '' ? 'is required' : `is required from ${stage} on`;
}
