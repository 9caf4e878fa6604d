import type { KepDocument } from '../document/document.js';
import { normalizeTitle, titleLikeness } from '../document/normalize-title.js';
import type { Section } from '../document/sections.js';
import type { Template, TemplateSection } from './template.js';

/** Which section of a document is meant by which of a template. */
export interface Match {
  readonly section: Section;
  readonly how: 'exact' | 'alias' | 'like';
}

const maxSections = 3_000;
const nothing: readonly never[] = [];

/** Two titles with this much in common are taken for the same. */
const alike = 0.7;

/** Titles that proposals use for a section of the template, besides its own; both normalised. */
const otherTitles: Readonly<Record<string, readonly string[]>> = {
  'how can a rollout or rollback fail can it impact already running workloads': [
    'how can a rollout fail can it impact already running workloads',
  ],
  'what are the reasonable slos service level objectives for the enhancement': [
    'what are the reasonable slos service level objectives for the above slis',
  ],
  'risks and mitigations': [
    'risks',
    'risks mitigations',
    'risks and mitigation',
    'risk and mitigation',
    'risk and mitigations',
  ],
  'non goals': ['nongoals', 'non goal', 'out of scope'],
  goals: ['goal'],
  'user stories': ['user story', 'use cases'],
  'notes constraints caveats': ['caveats', 'notes', 'constraints'],
  'design details': [
    'design',
    'detailed design',
    'implementation details design',
    'implementation details',
    'implementation details notes constraints',
  ],
  'test plan': ['testing plan', 'tests', 'test plans', 'testing'],
  'unit tests': ['unit test', 'unit testing'],
  'integration tests': ['integration test', 'integration testing'],
  'e2e tests': ['e2e test', 'e2e testing', 'end to end tests', 'e2e'],
  'graduation criteria': ['graduation', 'graduation requirements', 'graduation plan'],
  'upgrade downgrade strategy': ['upgrade and downgrade strategy', 'upgrade downgrade', 'upgrade strategy'],
  'version skew strategy': ['version skew', 'version skew plan'],
  'implementation history': ['history'],
  drawbacks: ['drawback', 'disadvantages'],
  alternatives: ['alternatives considered', 'alternative approaches', 'alternatives considered and rejected'],
  'infrastructure needed': ['infrastructure', 'needed infrastructure'],
};

/**
 * Finds the sections that a template asks for in a document: by title under the
 * same parent, by title anywhere, by another known title, and at last by likeness
 * below the same heading of level 2. The title of a template means the first heading of level 1.
 */
export function matchTemplate(document: KepDocument, template: Template): ReadonlyMap<TemplateSection, Match> {
  const matches = new Map<TemplateSection, Match>();
  const taken = new Set<Section>();
  const byNorm = new Map<string, Section[]>();
  for (const section of document.sections) {
    const same = byNorm.get(section.norm);
    if (same) same.push(section);
    else byNorm.set(section.norm, [section]);
  }
  const take = (wanted: TemplateSection, section: Section | undefined, how: Match['how']) => {
    if (!section) return false;
    matches.set(wanted, { section, how });
    taken.add(section);
    return true;
  };
  const takeNamed = (wanted: TemplateSection, norms: readonly string[], how: Match['how']) => {
    let found: readonly Section[] = nothing;
    for (const norm of norms) {
      const same = byNorm.get(norm) ?? nothing;
      const free = same.some((section) => taken.has(section)) ? same.filter((section) => !taken.has(section)) : same;
      if (free.length > 0) found = found.length > 0 ? [...found, ...free] : free;
    }
    if (found.length === 0) return false;
    return take(wanted, nearest(found, wanted, matches), how);
  };

  const { title, titles, isOfTwo } = titlesOf(template);
  // Where every section is of level 1, the first may be one that the template asks for.
  if (title)
    take(
      title,
      document.sections.find(({ level, norm }) => level === 1 && (norm === title.norm || !titles.has(norm))),
      'exact',
    );

  let open = template.sections.filter((wanted) => wanted !== title && !takeNamed(wanted, [wanted.norm], 'exact'));
  open = open.filter((wanted) => !takeNamed(wanted, titleOf(wanted).otherNorms, 'alias'));
  // A file with thousands of headings is not a proposal; comparing every pair would take long.
  if (document.sections.length > maxSections) return matches;
  let rest: { readonly section: Section; readonly title: Title }[] = [];
  for (const section of document.sections) if (!taken.has(section)) rest.push({ section, title: new Title(section) });
  open = open.filter((wanted) => {
    const mayBe = placeTest(wanted, matches);
    const { title } = titleOf(wanted);
    const found = rest.find(({ section, title: named }) => extendsTitle(wanted, title, named) && mayBe(section));
    if (found) rest = rest.filter((each) => each !== found);
    return !take(wanted, found?.section, 'alias');
  });
  open = open.filter((wanted) => !take(wanted, mostLike(wanted, rest, matches, taken), 'like'));
  const ofTwo: { readonly section: Section; readonly names: readonly string[] }[] = [];
  for (const section of document.sections)
    if (isOfTwo(section.norm)) ofTwo.push({ section, names: namesOfTwo(section.norm, titles) });
  for (const wanted of ofTwo.length > 0 ? open : nothing) {
    const both = ofTwo.find(({ names }) => names.includes(wanted.norm));
    if (both) matches.set(wanted, { section: both.section, how: 'alias' });
  }
  return matches;
}

/** The titles of a template. */
interface Titles {
  /** The section of level 1. */
  readonly title: TemplateSection | undefined;
  readonly titles: ReadonlySet<string>;
  /** Whether a title may be two of these. */
  readonly isOfTwo: (norm: string) => boolean;
}

/** The titles of a template, read once for all documents. */
function titlesOf(template: Template): Titles {
  const known = knownTitles.get(template);
  if (known) return known;
  const title = template.sections.find(({ section }) => section.level === 1);
  const titles = new Set(template.sections.map(({ norm }) => norm));
  const firstWords = new Set([...titles].map((norm) => norm.split(' ', 1)[0]));
  const lastWords = new Set([...titles].map((norm) => norm.slice(norm.lastIndexOf(' ') + 1)));
  const ofOne = new Set([...titles].filter((norm) => namesOfTwo(norm, titles).length === 0));
  const isOfTwo = (norm: string) => {
    if (ofOne.has(norm)) return false;
    const end = norm.indexOf(' ');
    return end > 0 && firstWords.has(norm.slice(0, end)) && lastWords.has(norm.slice(norm.lastIndexOf(' ') + 1));
  };
  const read = { title, titles, isOfTwo };
  knownTitles.set(template, read);
  return read;
}

const knownTitles = new WeakMap<Template, Titles>();

/** A title as it is compared with many others; its words are found when they are asked for. */
class Title {
  readonly title: string;
  readonly lower: string;
  readonly norm: string;
  #words: readonly string[] | undefined;
  #wordSet: ReadonlySet<string> | undefined;

  constructor({ title, norm }: { readonly title: string; readonly norm: string }) {
    this.title = title;
    this.lower = title.toLowerCase();
    this.norm = norm;
  }

  get words(): readonly string[] {
    this.#words ??= this.norm.split(' ');
    return this.#words;
  }

  get wordSet(): ReadonlySet<string> {
    this.#wordSet ??= new Set(this.words);
    return this.#wordSet;
  }
}

/** The title of a section of a template, read once for all documents, and the other titles that mean it. */
function titleOf(wanted: TemplateSection): { readonly title: Title; readonly otherNorms: readonly string[] } {
  const known = readTitles.get(wanted);
  if (known) return known;
  const otherNorms = [...wanted.aliases.map(normalizeTitle), ...(otherTitles[wanted.norm] ?? [])];
  const read = { title: new Title(wanted), otherNorms };
  readTitles.set(wanted, read);
  return read;
}

const readTitles = new WeakMap<TemplateSection, { readonly title: Title; readonly otherNorms: readonly string[] }>();

/** "Design Details: pruning", "Migration / Graduation Criteria", or the first words of a long question. */
function extendsTitle({ isQuestion }: TemplateSection, one: Title, other: Title): boolean {
  const { title, norm, words } = one;
  if (other.lower.startsWith(one.lower) && /^\s*(?:[:(\u2013-]|for\b|of\b)/i.test(other.title.slice(title.length)))
    return true;
  if (!isQuestion) return words.length >= 2 && other.norm.endsWith(norm) && other.norm.at(-norm.length - 1) === ' ';
  const others = other.words;
  let shared = 0;
  while (shared < words.length && words[shared] === others[shared]) shared++;
  if (shared >= 8 || (shared >= 4 && shared === others.length)) return true;
  return shared >= 3 && sameQuestion(title, other.title);
}

/**
 * "What are the SLOs (Service Level Objectives) for the enhancement?" asks what "What are the SLOs for this feature?"
 * does.
 */
function sameQuestion(wanted: string, named: string): boolean {
  const one = plainQuestion(wanted);
  const other = plainQuestion(named);
  return one === other || one.startsWith(other.replace(/ for it$/, ' '));
}

function plainQuestion(title: string): string {
  return normalizeTitle(title.replace(/\([^()]{0,200}\)/g, ' '))
    .replace(/\b(?:the|this) (?:enhancement|feature|kep)\b/g, 'it')
    .replace('re enable', 'reenable');
}

/** The titles that a title names which is made of two: "Drawbacks / Alternatives", "Summary and Motivation". */
function namesOfTwo(norm: string, titles: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  for (let blank = norm.indexOf(' '); blank >= 0; blank = norm.indexOf(' ', blank + 1)) {
    const first = norm.slice(0, blank);
    const second = norm.slice(blank + 1);
    if (titles.has(first) && titles.has(second.replace(/^and /, ''))) found.push(first);
    if (titles.has(second) && titles.has(first.replace(/ and$/, ''))) found.push(second);
  }
  return found;
}

/** Tests whether a section stands where one of the template may: below the same heading of level 2, or at about its level. */
function placeTest(
  wanted: TemplateSection,
  matches: ReadonlyMap<TemplateSection, Match>,
): (section: Section) => boolean {
  let top: TemplateSection | undefined = wanted;
  while (top && top.section.level > 2) top = top.parent;
  const below = top && top !== wanted ? matches.get(top)?.section : undefined;
  return (section) => {
    if (section.level === 1) return false;
    if (below && section.line > below.line && section.line <= below.all.last) return true;
    if (below && wanted.section.level > 3) return false;
    return section.form === 'question' || Math.abs(section.level - wanted.section.level) <= 1;
  };
}

/** Of those with the right name, the one below the right heading, or the one whose level is nearest to the template's. */
function nearest(
  found: readonly Section[],
  { parent, section: { level } }: TemplateSection,
  matches: ReadonlyMap<TemplateSection, Match>,
): Section | undefined {
  const above = parent && matches.get(parent)?.section;
  return (
    found.find((section) => section.parent === above) ??
    [...found].sort((one, other) => Math.abs(one.level - level) - Math.abs(other.level - level))[0]
  );
}

function mostLike(
  wanted: TemplateSection,
  sections: readonly { readonly section: Section; readonly title: Title }[],
  matches: ReadonlyMap<TemplateSection, Match>,
  taken: ReadonlySet<Section>,
): Section | undefined {
  const { words, wordSet } = titleOf(wanted).title;
  if (words.length < 2) return undefined;
  const fewest = alike * wordSet.size;
  const most = wordSet.size / alike;
  const mayBe = placeTest(wanted, matches);
  let best: Section | undefined;
  let bestLikeness = alike;
  for (const { section, title } of sections) {
    if (title.words.length < fewest) continue;
    const { size } = title.wordSet;
    if (size < fewest || size > most || taken.has(section) || !mayBe(section)) continue;
    const likeness = titleLikeness(wordSet, title.wordSet);
    if (likeness >= bestLikeness && (likeness > bestLikeness || !best)) {
      best = section;
      bestLikeness = likeness;
    }
  }
  return best;
}
