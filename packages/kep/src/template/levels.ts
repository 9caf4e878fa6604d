import type { KepDocument } from '../document/document.js';
import type { Section } from '../document/sections.js';
import type { Edit } from '../metadata/edit.js';
import type { TemplateSection } from './template.js';

/** A heading that can get the level of the template. */
export interface LevelChange {
  readonly section: Section;
  readonly wanted: TemplateSection;
  readonly edit: Edit;
}

/**
 * The headings at another level than in the template that can be moved to it with every section staying
 * part of what it is part of. Done together, in order; one that would take a section elsewhere is left out.
 */
export function levelChanges(
  document: KepDocument,
  matched: Iterable<readonly [TemplateSection, Section]>,
): LevelChange[] {
  const headings = document.sections.filter(({ form }) => form === 'heading');
  const levels = headings.map(({ level }) => level);
  const at = new Map(headings.map((section, index) => [section, index]));
  const found: LevelChange[] = [];
  for (const [wanted, section] of matched) {
    const index = at.get(section);
    const level = wanted.section.level;
    const { heading } = section;
    if (index === undefined || !heading || heading.form !== 'atx' || section.level === level || level === 1) continue;
    if (!keepsPlace(levels, index, level)) continue;
    levels[index] = level;
    const edit = { start: heading.start, end: heading.start + heading.level, text: '#'.repeat(level) };
    found.push({ section, wanted, edit });
  }
  return found;
}

/** Whether a heading at another level keeps what is above it and what is below it. */
function keepsPlace(levels: readonly number[], index: number, level: number): boolean {
  const old = levels[index] ?? 0;
  if (parentOf(levels, index, old) !== parentOf(levels, index, level)) return false;
  const high = Math.max(old, level);
  const low = Math.min(old, level);
  for (let next = index + 1; next < levels.length; next++) {
    const other = levels[next] ?? 0;
    if (other <= low) return true;
    if (other <= high) return false;
  }
  return true;
}

function parentOf(levels: readonly number[], index: number, level: number): number {
  for (let before = index - 1; before >= 0; before--) if ((levels[before] ?? 0) < level) return before;
  return -1;
}
