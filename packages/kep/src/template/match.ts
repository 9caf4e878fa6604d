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
    if (!section) return;
    matches.set(wanted, { section, how });
    taken.add(section);
  };
  const free = (norm: string) => (byNorm.get(norm) ?? []).filter((section) => !taken.has(section));

  const title = template.sections.find(({ section }) => section.level === 1);
  const titles = new Set(template.sections.map(({ norm }) => norm));
  // Where every section is of level 1, the first may be one that the template asks for.
  if (title)
    take(
      title,
      document.sections.find(({ level, norm }) => level === 1 && (norm === title.norm || !titles.has(norm))),
      'exact',
    );

  const open = () => template.sections.filter((wanted) => wanted !== title && !matches.has(wanted));
  for (const wanted of open()) {
    const parent = wanted.parent && matches.get(wanted.parent)?.section;
    const found = free(wanted.norm);
    take(wanted, found.find((section) => section.parent === parent) ?? closest(found, wanted), 'exact');
  }
  for (const wanted of open()) {
    const names = [...wanted.aliases.map(normalizeTitle), ...(otherTitles[wanted.norm] ?? [])];
    const parent = wanted.parent && matches.get(wanted.parent)?.section;
    const found = names.flatMap(free);
    take(wanted, found.find((section) => section.parent === parent) ?? closest(found, wanted), 'alias');
  }
  // A file with thousands of headings is not a proposal; comparing every pair would take long.
  if (document.sections.length > maxSections) return matches;
  for (const wanted of open()) {
    const inside = document.sections.filter((section) => !taken.has(section) && mayBe(wanted, section, matches));
    take(
      wanted,
      inside.find(({ title: named, norm }) => extendsTitle(wanted, named, norm)),
      'alias',
    );
  }
  for (const wanted of open()) take(wanted, mostLike(wanted, document, matches, taken), 'like');
  for (const wanted of open()) {
    const both = document.sections.find(({ norm }) => namesBoth(norm, wanted.norm, titles));
    if (both) matches.set(wanted, { section: both, how: 'alias' });
  }
  return matches;
}

/** "Design Details: pruning", "Migration / Graduation Criteria", or the first words of a long question. */
function extendsTitle({ title, norm: wanted, isQuestion }: TemplateSection, named: string, norm: string): boolean {
  const rest = named.toLowerCase().startsWith(title.toLowerCase()) ? named.slice(title.length) : undefined;
  if (rest !== undefined && /^\s*(?:[:(\u2013-]|for\b|of\b)/i.test(rest)) return true;
  const words = wanted.split(' ');
  if (!isQuestion) return words.length >= 2 && norm.endsWith(` ${wanted}`);
  const others = norm.split(' ');
  let shared = 0;
  while (shared < words.length && words[shared] === others[shared]) shared++;
  if (shared >= 8 || (shared >= 4 && shared === others.length)) return true;
  return shared >= 3 && sameQuestion(title, named);
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

/** "Drawbacks / Alternatives", "Summary and Motivation": one section for two of the template. */
function namesBoth(norm: string, wanted: string, titles: ReadonlySet<string>): boolean {
  if (norm.length <= wanted.length) return false;
  if (norm.startsWith(`${wanted} `)) return titles.has(norm.slice(wanted.length + 1).replace(/^and /, ''));
  return norm.endsWith(` ${wanted}`) && titles.has(norm.slice(0, -wanted.length - 1).replace(/ and$/, ''));
}

/** Whether a section stands where one of the template may: below the same heading of level 2, or at about its level. */
function mayBe(wanted: TemplateSection, section: Section, matches: ReadonlyMap<TemplateSection, Match>): boolean {
  if (section.level === 1) return false;
  let top: TemplateSection | undefined = wanted;
  while (top && top.section.level > 2) top = top.parent;
  const below = top && top !== wanted ? matches.get(top)?.section : undefined;
  if (below && section.line > below.line && section.line <= below.all.last) return true;
  if (below && wanted.section.level > 3) return false;
  return section.form === 'question' || Math.abs(section.level - wanted.section.level) <= 1;
}

/** Of several with the right name, the one whose level is nearest to the template's. */
function closest(found: readonly Section[], { section: { level } }: TemplateSection): Section | undefined {
  return [...found].sort((one, other) => Math.abs(one.level - level) - Math.abs(other.level - level))[0];
}

function mostLike(
  wanted: TemplateSection,
  document: KepDocument,
  matches: ReadonlyMap<TemplateSection, Match>,
  taken: ReadonlySet<Section>,
): Section | undefined {
  if (wanted.norm.split(' ').length < 2) return undefined;
  let best: Section | undefined;
  let bestLikeness = alike;
  for (const section of document.sections) {
    if (taken.has(section) || !mayBe(wanted, section, matches)) continue;
    const likeness = titleLikeness(wanted.norm, section.norm);
    if (likeness >= bestLikeness && (likeness > bestLikeness || !best)) {
      best = section;
      bestLikeness = likeness;
    }
  }
  return best;
}
