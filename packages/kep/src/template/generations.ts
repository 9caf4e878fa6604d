import type { KepDocument } from '../document/document.js';
import { rememberingLast } from '../document/remember.js';
import { reaches } from '../metadata/stage.js';
import type { Template } from './template.js';

/** The template that a proposal was begun from, told by the headings that came with it. */
export interface Generation {
  readonly name: string;
  /** How many changes of the template came later. */
  readonly behind: number;
}

/** Newest first: a heading that came with the change, and the releases it belongs to. */
const changes: readonly [norm: string, name: string][] = [
  [
    'can enabling using this feature result in resource exhaustion of some node resources pids sockets inodes etc',
    '1.27',
  ],
  ['prerequisite testing updates', '1.25'],
  ['how can someone using this feature know that it is working for their instance', '1.23'],
  ['production readiness review questionnaire', '1.21'],
];

/**
 * The generation of a document; undefined when it has no headings to tell by. Only
 * changes that the template in use has made too are counted, and none that is asked for at a later stage only.
 */
export function generationOf(document: KepDocument, template: Template, stage: string): Generation | undefined {
  if (document.sections.length < 3) return undefined;
  const has = (wanted: string) => document.sections.some(({ norm }) => norm === wanted);
  const known = changesIn(template).filter(([norm, , wanted]) =>
    wanted.some((each) => !each.required || reaches(stage, each.stage, template.ladder) || has(norm)),
  );
  const at = known.findIndex(([norm]) => has(norm));
  const behind = at < 0 ? known.length : at;
  const isBulleted = document.sections.filter(({ form }) => form === 'question').length > 5;
  const oldest = isBulleted ? '1.18' : 'first';
  return { name: isBulleted ? oldest : (known[at]?.[1] ?? oldest), behind };
}

/** The changes with the sections of a template that came with them. */
const changesIn = rememberingLast(({ sections }: Template) =>
  changes.map(([norm, name]) => [norm, name, sections.filter((section) => section.norm === norm)] as const),
);
