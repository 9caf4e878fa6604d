import { maxHeadings } from '../document/blocks.js';
import { type KepDocument, parseDocument } from '../document/document.js';
import { tableOfContents } from '../document/toc.js';
import { tocEdit } from '../facts/toc-edit.js';
import { applyEdits, type Edit } from '../metadata/edit.js';
import type { Answer } from '../template/answered.js';
import { assess } from '../template/assess.js';
import { levelChanges } from '../template/levels.js';
import type { Match } from '../template/match.js';
import type { Template, TemplateSection } from '../template/template.js';
import { newBodies, oldGuidance } from './bodies.js';
import type { Change, UpgradeState } from './change.js';
import { missingSections } from './missing-sections.js';
import { questionsToHeadings } from './questions-to-headings.js';
import { newTitles } from './titles.js';

/** A proposal beside a template: what differs, and the text without the differences. */
export interface Upgrade {
  readonly changes: readonly Omit<Change, 'edits'>[];
  readonly text: string;
}

/** A document whose structure cannot be trusted: moving parts of it could lose some. */
export class UpgradeRefusedError extends Error {
  override readonly name = 'UpgradeRefusedError';
}

/** In this order: what comes first may make room for what comes later. */
const phases: readonly ((state: UpgradeState) => readonly Change[])[] = [
  questionsToHeadings,
  newTitles,
  newLevels,
  oldGuidance,
  newBodies,
  missingSections,
  currentToc,
];

/**
 * Moves a proposal to a template, section by section: bold questions become headings, old titles, levels
 * and instructions those of the template, and what is missing is written where the template has it.
 *
 * What the author wrote stays, line by line; only its indentation below a bold question changes. Doing it
 * twice is doing it once. @throws UpgradeRefusedError for documents with a comment or a code block that never ends
 */
export function upgradeToTemplate(
  text: string,
  template: Template,
  { guidance }: { readonly guidance: boolean },
): Upgrade {
  refuseBroken(parseDocument(text));
  const changes: Change[] = [];
  let state = stateOf(text, template, guidance);
  for (let round = 0, before = -1; round < maxRounds && changes.length > before; round++) {
    before = changes.length;
    for (const phase of phases) {
      const found = phase(state);
      if (found.length === 0) continue;
      const edits = found.flatMap((change): readonly Edit[] => change.edits);
      state = stateOf(applyEdits(state.document.text, edits), template, guidance);
      changes.push(...found);
    }
  }
  return {
    changes: changes.map(({ kind, title, message }) => ({ kind, title, message })),
    text: state.document.text,
  };
}

/** A heading at another level, or a new one, can show that others are filled in; nothing moves after the third round. */
const maxRounds = 6;

function stateOf(text: string, template: Template, guidance: boolean): UpgradeState {
  const document = parseDocument(text);
  const matches = new Map<TemplateSection, Match>();
  const answers = new Map<TemplateSection, Answer>();
  for (const { wanted, match, answer } of assess(document, template, { stage: 'stable', milestone: undefined })) {
    if (match) matches.set(wanted, match);
    if (answer) answers.set(wanted, answer);
  }
  return { document, template, matches, answers, guidance };
}

function newLevels({ document, matches }: UpgradeState): Change[] {
  const matched = [...matches].map(([wanted, { section }]) => [wanted, section] as const);
  return levelChanges(document, matched).map(({ section, wanted, edit }) => ({
    kind: 'level',
    title: section.title,
    message: `"${section.title}" goes from level ${section.level} to ${wanted.section.level}`,
    edits: [edit],
  }));
}

function currentToc({ document }: UpgradeState): Change[] {
  const table = tableOfContents(document);
  if (table === undefined) return [];
  const edit = tocEdit(document, table);
  if (document.text.slice(edit.start, edit.end).trim() === edit.text.trim()) return [];
  return [{ kind: 'toc', title: '', message: 'the table of contents follows', edits: [edit] }];
}

function refuseBroken({ blocks, lines }: KepDocument): void {
  const at = (line: number) => `line ${line + 1}`;
  if (blocks.unclosedComment !== undefined)
    throw new UpgradeRefusedError(`the comment of ${at(lines.at(blocks.unclosedComment))} never ends`);
  if (blocks.unclosedFence)
    throw new UpgradeRefusedError(`the code block of ${at(blocks.unclosedFence.line)} never ends`);
  if (blocks.firstHeadingLeftOut !== undefined)
    throw new UpgradeRefusedError(`there are more than ${maxHeadings} headings`);
}
