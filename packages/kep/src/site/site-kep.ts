import { counts, type Finding } from '../check/finding.js';
import { minorOf } from '../metadata/kep-yaml.js';
import type { KepFacts } from '../rules/rule.js';
import { isOpen } from '../template/assess.js';

/** The columns of the board, in order. */
export const columns = ['provisional', 'alpha', 'beta', 'stable', 'removal', 'closed'] as const;
export type Column = (typeof columns)[number];

/** Whether a proposal has what its stage asks for: `ready`, `open` with sections to write, `blocked` by errors. */
export type Readiness = 'ready' | 'open' | 'blocked';

/** One proposal as the pages show it. */
export interface SiteKep {
  /** Name of its page, without `.html`: its number, or the name of its folder. */
  readonly page: string;
  readonly number: string;
  readonly title: string;
  readonly directory: string;
  readonly sig: string;
  readonly status: string;
  readonly stage: string;
  readonly column: Column;
  readonly milestone: string;
  /** Stage to minor version. */
  readonly milestones: ReadonlyMap<string, number>;
  readonly authors: readonly string[];
  readonly approvers: readonly string[];
  readonly gates: readonly string[];
  readonly metrics: readonly string[];
  readonly related: readonly { readonly kind: string; readonly target: string }[];
  /** Stage to who approved its production readiness. */
  readonly approvals: ReadonlyMap<string, string>;
  readonly answered: number;
  readonly demanded: number;
  readonly readiness: Readiness;
  readonly findings: readonly Finding[];
  readonly facts: KepFacts;
}

/** Reads what the pages show from what the rules looked at. */
export function siteKep(facts: KepFacts, findings: readonly Finding[], directory: string): SiteKep {
  const { yaml } = facts;
  const one = (name: string) => yaml?.one(name)?.value ?? '';
  const many = (name: string) => (yaml?.many(name) ?? []).map(({ value }) => value);
  const demanded = facts.assessed.filter((each) => each.demanded);
  const open = demanded.filter(isOpen).length;
  const counted = findings.filter(counts);
  const blocked = counted.some(({ severity }) => severity === 'error');
  return {
    page: facts.place?.number ?? (directory.split('/').at(-1) ?? 'kep').replace(/[^\w-]+/g, '-'),
    number: one('kep-number') || (facts.place?.number ?? ''),
    title: one('title') || (facts.document?.sections[0]?.title ?? directory),
    directory,
    sig: one('owning-sig') || (facts.place?.group ?? ''),
    status: one('status'),
    stage: one('stage'),
    column: columnOf(one('status'), one('stage')),
    milestone: one('latest-milestone'),
    milestones: milestonesOf(facts),
    authors: many('authors'),
    approvers: many('approvers'),
    gates: (yaml?.gates ?? []).flatMap(({ name }) => name?.value ?? []),
    metrics: many('metrics'),
    related: ['see-also', 'replaces', 'superseded-by'].flatMap((kind) =>
      many(kind).map((target) => ({ kind, target })),
    ),
    approvals: new Map([...(facts.approval?.stages ?? [])].flatMap(([stage, by]) => (by ? [[stage, by.value]] : []))),
    answered: demanded.length - open,
    demanded: demanded.length,
    readiness: blocked ? 'blocked' : open > 0 ? 'open' : 'ready',
    findings: counted,
    facts,
  };
}

function columnOf(status: string, stage: string): Column {
  if (/^(?:deferred|rejected|withdrawn|replaced)$/.test(status)) return 'closed';
  if (/^(?:deprecated|disabled|removed)$/.test(stage)) return 'removal';
  if (status === 'provisional' || status === '') return 'provisional';
  return stage === 'beta' || stage === 'stable' ? stage : 'alpha';
}

function milestonesOf({ yaml }: KepFacts): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [stage, { value }] of yaml?.milestones ?? []) {
    const minor = minorOf(value);
    if (minor !== undefined) found.set(stage, minor);
  }
  return found;
}
