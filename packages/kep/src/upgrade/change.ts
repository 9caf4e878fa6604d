import type { KepDocument } from '../document/document.js';
import type { Section } from '../document/sections.js';
import type { Edit } from '../metadata/edit.js';
import type { Answer } from '../template/answered.js';
import type { Match } from '../template/match.js';
import type { Template, TemplateSection } from '../template/template.js';

/** What one change does: a bold question becomes a heading; an old title gets its new one; and so on. */
export type ChangeKind = 'heading' | 'title' | 'level' | 'guidance' | 'body' | 'insert' | 'toc';

/** One difference between a proposal and a template, and how to do away with it. */
export interface Change {
  readonly kind: ChangeKind;
  /** Title of the section. */
  readonly title: string;
  readonly message: string;
  readonly edits: readonly Edit[];
}

/** A proposal on its way to a template. */
export interface UpgradeState {
  readonly document: KepDocument;
  readonly template: Template;
  readonly matches: ReadonlyMap<TemplateSection, Match>;
  /** How far each section that was found is filled in. */
  readonly answers: ReadonlyMap<TemplateSection, Answer>;
  /** Whether the instructions of the template are wanted. */
  readonly guidance: boolean;
}

/** The section of the document that stands for exactly this one of the template. */
export function ownMatch({ matches }: UpgradeState, wanted: TemplateSection): Section | undefined {
  const section = matches.get(wanted)?.section;
  if (!section) return undefined;
  for (const [other, match] of matches) if (other !== wanted && match.section === section) return undefined;
  return section;
}
