import type { Section } from '../document/sections.js';
import type { Assessed } from '../template/assess.js';

/** The section with the graduation criteria. */
export function graduation(assessed: readonly Assessed[]): Section | undefined {
  return assessed.find(({ wanted }) => wanted.norm === 'graduation criteria')?.match?.section;
}

/** The section with the implementation history. */
export function history(assessed: readonly Assessed[]): Section | undefined {
  return assessed.find(({ wanted }) => wanted.norm === 'implementation history')?.match?.section;
}

/** All sections below one. */
export function below(section: Section): readonly Section[] {
  const found: Section[] = [];
  addBelow(section, found);
  return found;
}

function addBelow({ children }: Section, found: Section[]): void {
  for (const child of children) {
    found.push(child);
    addBelow(child, found);
  }
}

/** Sections that explain, in templates that do not say so themselves; normalised. */
export const explains: ReadonlySet<string> = new Set([
  'summary',
  'motivation',
  'goals',
  'proposal',
  'risks and mitigations',
  'design details',
  'test plan',
  'graduation criteria',
  'upgrade downgrade strategy',
  'version skew strategy',
  'drawbacks',
  'alternatives',
]);
