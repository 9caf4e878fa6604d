import { type Card, cardOf, type FoundKep, isOpen, type KepFacts, type KepRepository, type Stage } from '@slipway/kep';
import type { TableColumn } from '../../output/table.js';

/** One proposal in a listing. */
export interface KepRow extends Omit<Card, 'group'> {
  readonly sig: string;
  readonly directory: string;
}

/** Returns the row of a proposal in a listing. */
export function rowOf(repository: KepRepository, found: FoundKep): KepRow {
  const kep = repository.load(found);
  const facts = found.kind === undefined ? { yaml: kep.yaml, document: undefined } : repository.facts(kep);
  const { group: sig, ...card } = cardOf(facts, found);
  return { ...card, sig, directory: found.directory };
}

/** Counts the filled sections among those that the stage requires: `18/22`. */
export function answeredOf({ assessed }: KepFacts): string {
  const demanded = assessed.filter((each) => each.demanded);
  return `${demanded.filter((each) => !isOpen(each)).length}/${demanded.length}`;
}

/** The stage that comes next; undefined at the end of the row. */
export function nextStage(stage: string): Stage | undefined {
  const next: Partial<Record<string, Stage>> = {
    draft: 'alpha',
    alpha: 'beta',
    beta: 'stable',
    deprecated: 'disabled',
    disabled: 'removed',
  };
  return next[stage];
}

/** The columns of `slipway kep list`. */
export const kepColumns: readonly TableColumn<KepRow>[] = [
  { heading: 'NUMBER', cell: ({ number }) => number },
  { heading: 'SIG', cell: ({ sig }) => sig },
  { heading: 'STATUS', cell: ({ status }) => status },
  { heading: 'STAGE', cell: ({ stage }) => stage },
  { heading: 'MILESTONE', weight: 0, cell: ({ milestone }) => milestone },
  { heading: 'AUTHORS', cell: ({ authors }) => authors.join(','), wide: true },
  { heading: 'GATES', cell: ({ gates }) => gates.join(','), wide: true },
  { heading: 'TITLE', weight: 9, cell: ({ title }) => title },
];
