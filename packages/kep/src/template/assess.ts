import type { KepDocument } from '../document/document.js';
import { rememberingLast } from '../document/remember.js';
import type { Section } from '../document/sections.js';
import { reaches, type StageLadder } from '../metadata/stage.js';
import { type Answer, betterAnswer, isAnswered, ownAnswer } from './answered.js';
import { type Match, matchTemplate } from './match.js';
import { inapplicableSections } from './not-applicable.js';
import { type Scaffold, scaffoldOf } from './scaffold.js';
import type { Template, TemplateSection } from './template.js';

/** What a template asks of a proposal is decided by these. */
export interface Aim {
  readonly stage: string;
  /** Minor version of the release it is meant for; undefined asks for everything. */
  readonly milestone: number | undefined;
  /** What the proposal is about, for directives with `when`; undefined asks for everything. */
  readonly traits?: ReadonlySet<string> | undefined;
}

/** One section of the template, and how the proposal stands to it. */
export interface Assessed {
  readonly wanted: TemplateSection;
  readonly match: Match | undefined;
  /** Whether the aim asks for it. */
  readonly demanded: boolean;
  /** Undefined when it is missing. Counts what stands in the sections below too. */
  readonly answer: Answer | undefined;
}

/** Compares a proposal with a template, section by section in the order of the template. */
export function assess(document: KepDocument, template: Template, aim: Aim): Assessed[] {
  const matches = matchTemplate(document, template);
  const wantedBy = new Map<Section, TemplateSection>();
  for (const [wanted, { section }] of matches) wantedBy.set(section, wanted);
  const answers = new Answers(document, template, matches, wantedBy);
  const inapplicable = inapplicableSections(document, template, matches);
  return template.sections.map((wanted) => {
    const match = matches.get(wanted);
    return {
      wanted,
      match,
      demanded: isDemanded(wanted, aim, template.ladder, matches) && !inapplicable.has(wanted),
      answer: match && answers.of(wanted, match.section),
    };
  });
}

/** Whether a section is missing, or there and not filled in. */
export function isOpen({ demanded, answer }: Assessed): boolean {
  return demanded && (answer === undefined || !isAnswered(answer));
}

/** A section that the aim asks for, and that is there and not filled in. */
export interface Unanswered extends Assessed {
  readonly match: Match;
  readonly answer: Answer;
}

/** The sections that are there and not filled in; one look for the rules that report them. */
export const unanswered = rememberingLast((assessed: readonly Assessed[]): readonly Unanswered[] =>
  assessed.filter(isUnanswered),
);

function isUnanswered(assessed: Assessed): assessed is Unanswered {
  return assessed.match !== undefined && isOpen(assessed);
}

const draftTitles = new Set(['summary', 'motivation', 'goals']);

function isDemanded(
  wanted: TemplateSection,
  aim: Aim,
  ladder: StageLadder,
  matches: ReadonlyMap<TemplateSection, Match>,
): boolean {
  if (!wanted.required) return false;
  if (wanted.since !== undefined && aim.milestone !== undefined && aim.milestone < wanted.since) return false;
  if (wanted.when !== undefined && aim.traits && !aim.traits.has(wanted.when)) return false;
  if (wanted.parent && !wanted.parent.required && wanted.parent.section.level > 1 && !matches.has(wanted.parent)) {
    return false;
  }
  if (aim.stage === ladder.draft) return wanted.section.level === 1 || draftTitles.has(wanted.norm);
  return reaches(aim.stage, wanted.stage, ladder);
}

class Answers {
  readonly #document: KepDocument;
  readonly #matches: ReadonlyMap<TemplateSection, Match>;
  readonly #wantedBy: ReadonlyMap<Section, TemplateSection>;
  readonly #scaffold: Scaffold;
  readonly #own = new Map<Section, Answer>();

  constructor(
    document: KepDocument,
    template: Template,
    matches: ReadonlyMap<TemplateSection, Match>,
    wantedBy: ReadonlyMap<Section, TemplateSection>,
  ) {
    this.#document = document;
    this.#matches = matches;
    this.#wantedBy = wantedBy;
    this.#scaffold = scaffoldOf(template);
  }

  /** A section is as filled in as the best of its own text, what stands below it, and its parts of the template. */
  of(wanted: TemplateSection, section: Section): Answer {
    if (wanted.section.level === 1) return section.title === '' ? 'empty' : 'answered';
    let best = this.#below(section, wanted, 0);
    for (const part of wanted.children) {
      const match = this.#matches.get(part);
      if (match && !isAnswered(best)) best = betterAnswer(best, this.of(part, match.section));
    }
    if (best === 'empty') best = this.#overflow(section);
    return best;
  }

  #below(section: Section, wanted: TemplateSection, depth: number): Answer {
    let best = this.#ownOf(section);
    for (const child of section.children) {
      if (best === 'answered' || depth > 6) break;
      const other = this.#wantedBy.get(child);
      if (other && !isPartOf(other, wanted)) continue;
      best = betterAnswer(best, this.#below(child, wanted, depth + 1));
    }
    return best;
  }

  /** An answer below a heading of its own that is, by mistake, not deeper than the question. */
  #overflow(section: Section): Answer {
    const next = this.#document.sections[this.#document.sections.indexOf(section) + 1];
    if (!next || next.level <= 2 || this.#wantedBy.has(next) || next.parent === section) return 'empty';
    return this.#ownOf(next);
  }

  #ownOf(section: Section): Answer {
    const known = this.#own.get(section);
    if (known) return known;
    const answer = ownAnswer(this.#document, section, this.#scaffold);
    this.#own.set(section, answer);
    return answer;
  }
}

function isPartOf(part: TemplateSection, whole: TemplateSection): boolean {
  for (let each: TemplateSection | undefined = part; each; each = each.parent) if (each === whole) return true;
  return false;
}
