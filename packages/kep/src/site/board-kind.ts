import type { KepFacts } from '../facts/rule.js';
import type { DocumentKind } from '../kinds/document-kind.js';

/** A column of a board. */
export interface Column {
  /** Its anchor on the page. */
  readonly id: string;
  readonly title: string;
  /** What is in it, in a few words. */
  readonly about: string;
}

/** A kind of document as the pages show it: a board with a column for each stage. */
export interface BoardKind {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** The board of proposals of Kubernetes. */
export const kepBoard: BoardKind = {
  name: 'kep',
  columns: Object.entries({
    provisional: 'Not decided yet',
    alpha: 'Off by default',
    beta: 'Tried by many',
    stable: 'Here to stay',
    removal: 'On the way out',
    closed: 'Not built',
  }).map(([title, about]) => ({ id: title, title, about })),
};

/** The board of a kind that a configuration declares: a column for each stage, and one for what is closed. */
export function boardOf(kind: DocumentKind): BoardKind {
  const column = (title: string, about: string) => ({ id: columnId(kind, title), title, about });
  const { names, also } = kind.ladder;
  const stages = names.map((name) => {
    const others = [...kind.ladder.ranks].flatMap(([other]) => (also.get(other.toLowerCase()) === name ? [other] : []));
    return column(name || 'all', others.join(', '));
  });
  return {
    name: kind.name,
    columns: kind.closed.length > 0 ? [...stages, column('closed', kind.closed.join(', '))] : stages,
  };
}

/** The column of a document of a declared kind. */
export function declaredColumn(kind: DocumentKind, { phase, stage }: KepFacts): string {
  if (phase === 'frozen') return columnId(kind, 'closed');
  const rank = kind.ladder.ranks.get(stage) ?? 0;
  return columnId(kind, kind.ladder.names[rank] || 'all');
}

/** The column of a proposal of Kubernetes. */
export function kepColumn(status: string, stage: string): string {
  if (/^(?:deferred|rejected|withdrawn|replaced)$/.test(status)) return 'closed';
  if (/^(?:deprecated|disabled|removed)$/.test(stage)) return 'removal';
  if (status === 'provisional' || status === '') return 'provisional';
  return stage === 'beta' || stage === 'stable' ? stage : 'alpha';
}

function columnId({ name }: DocumentKind, title: string): string {
  return `${name}-${title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}`;
}
