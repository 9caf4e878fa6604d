import { type KepDocument, parseDocument } from '../document/document.js';
import type { Section } from '../document/sections.js';
import { kepLadder, reaches, type StageLadder, stageNamed } from '../metadata/stage.js';

/** A heading of a template and what its directive asks for. */
export interface TemplateSection {
  readonly section: Section;
  readonly title: string;
  readonly norm: string;
  readonly required: boolean;
  /** From which stage on; the first unless the directive or the stage of a child says otherwise. */
  readonly stage: string;
  /** Minor version from which on it is asked for. */
  readonly since: number | undefined;
  readonly aliases: readonly string[];
  readonly kind: string | undefined;
  readonly when: string | undefined;
  readonly parent: TemplateSection | undefined;
  readonly children: readonly TemplateSection[];
  /** A question of the questionnaire rather than a section. */
  readonly isQuestion: boolean;
}

export interface Template {
  /** Where it comes from, as people name it: `builtin:2026.1`, a path. */
  readonly name: string;
  readonly document: KepDocument;
  /** In order; the title first. */
  readonly sections: readonly TemplateSection[];
  readonly ladder: StageLadder;
}

interface Mutable extends Omit<TemplateSection, 'stage' | 'parent' | 'children'> {
  stage: string;
  parent: Mutable | undefined;
  children: Mutable[];
}

/** Reads a template with directives. What is wrong with it is found by `lintTemplate`; here it counts as far as it can be read. */
export function readTemplate(text: string, name: string, ladder: StageLadder = kepLadder): Template {
  const document = parseDocument(text);
  const bySection = new Map<Section, Mutable>();
  for (const section of document.sections) {
    if (section.form !== 'heading') continue;
    const directive = document.directives.find((each) => each.section === section);
    const parent = section.parent && bySection.get(section.parent);
    const read: Mutable = {
      section,
      title: section.title,
      norm: directive?.id ? directive.id.replaceAll('-', ' ') : section.norm,
      required: directive?.required ?? false,
      stage: (directive?.stage && stageNamed(directive.stage, ladder)) || (ladder.names[0] ?? ''),
      since: directive?.since,
      aliases: directive?.aliases ?? [],
      kind: directive?.kind,
      when: directive?.when,
      parent,
      children: [],
      isQuestion: section.level === 6 || directive?.kind === 'question' || directive?.kind === 'yesno',
    };
    parent?.children.push(read);
    bySection.set(section, read);
  }
  const sections = [...bySection.values()];
  for (const each of [...sections].reverse()) {
    const { parent } = each;
    if (each.required && parent && !reaches(each.stage, parent.stage, ladder)) parent.stage = each.stage;
  }
  return { name, document, sections, ladder };
}
