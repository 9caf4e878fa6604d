import type { CheckItem } from '../document/checklist.js';
import type { KepDocument } from '../document/document.js';
import type { Section } from '../document/sections.js';

/** The section with the release signoff checklist. */
export function signoffSection({ sections }: KepDocument): Section | undefined {
  return sections.find(isSignoff);
}

/** Whether a section is the release signoff checklist. */
export function isSignoff({ norm }: Section): boolean {
  return /^release sign ?off checklist/.test(norm);
}

/** The items of the release signoff checklist; none when there is no such section. */
export function signoffItems(document: KepDocument): readonly CheckItem[] {
  const section = signoffSection(document);
  if (!section) return [];
  return document.checklist.filter(({ line }) => line > section.line && line <= section.own.last);
}
