import { counts, type Finding } from '../check/finding.js';
import { type Card, cardOf } from '../facts/card.js';
import type { KepFacts } from '../facts/rule.js';
import { minorOf } from '../metadata/kep-yaml.js';
import { isOpen } from '../template/assess.js';
import { type BoardKind, boardOf, declaredColumn, kepBoard, kepColumn } from './board-kind.js';

/** Whether a proposal has what its stage asks for: `ready`, `open` with sections to write, `blocked` by errors. */
export type Readiness = 'ready' | 'open' | 'blocked';

/** One proposal as the pages show it. */
export interface SiteKep extends Omit<Card, 'group'> {
  /** Name of its page, without `.html`: its number, behind its kind if that is declared, or the name of its file or folder. */
  readonly page: string;
  readonly directory: string;
  readonly sig: string;
  readonly kind: BoardKind;
  /** `id` of a column of its kind. */
  readonly column: string;
  /** Nothing more is going to happen to it. */
  readonly isClosed: boolean;
  /** Stage to minor version. */
  readonly milestones: ReadonlyMap<string, number>;
  readonly metrics: readonly string[];
  readonly related: readonly { readonly kind: string; readonly target: string }[];
  /** Stage to who approved its production readiness. */
  readonly approvals: ReadonlyMap<string, string>;
  /** Sections that its stage asks for, and how many of them are filled. */
  readonly demanded: number;
  readonly answered: number;
  readonly readiness: Readiness;
  readonly findings: readonly Finding[];
  readonly facts: KepFacts;
}

/** Reads what the pages show from what the rules looked at. */
export function siteKep(facts: KepFacts, findings: readonly Finding[], directory: string): SiteKep {
  const { yaml, declared, place } = facts;
  const many = (name: string) => (declared ? [] : (yaml?.many(name) ?? []).map(({ value }) => value));
  const demanded = facts.assessed.filter((each) => each.demanded);
  const open = demanded.filter(isOpen).length;
  const counted = findings.filter(counts);
  const blocked = counted.some(({ severity }) => severity === 'error');
  const { group: sig, title, ...card } = cardOf(facts, { number: place?.number, group: place?.group });
  const column = declared ? declaredColumn(declared.kind, facts) : kepColumn(card.status, card.stage);
  const name = (directory.split('/').at(-1) ?? 'kep').replace(/\.md$/, '').replace(/[^\w-]+/g, '-');
  const number = place?.number && (declared ? `${declared.kind.name}-${Number(place.number)}` : place.number);
  return {
    ...card,
    page: number || name,
    title: title || directory,
    directory,
    sig,
    kind: declared ? boardOf(declared.kind) : kepBoard,
    column,
    isClosed: declared ? facts.phase === 'frozen' : column === 'closed',
    milestones: milestonesOf(facts),
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

function milestonesOf({ yaml, declared }: KepFacts): ReadonlyMap<string, number> {
  if (declared) return new Map();
  const found = new Map<string, number>();
  for (const [stage, { value }] of yaml?.milestones ?? []) {
    const minor = minorOf(value);
    if (minor !== undefined) found.set(stage, minor);
  }
  return found;
}
