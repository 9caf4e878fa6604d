import type { BoardKind } from '@slipway/kep/site';
import { useEffect, useState } from 'preact/hooks';
import type { KepLine } from '../../feeds/proposals.js';
import { Bar } from '../controls/badges.js';
import { Command } from '../controls/command.js';
import { fittingOf, OneOf, type RowFilter, Search } from '../controls/filters.js';
import { Empty, Missing, Pending } from '../controls/notices.js';
import { useRows } from '../shell/live.js';
import { Link, useAddress } from '../shell/router.js';
import { ask } from '../shell/session.js';

interface Boards {
  readonly root?: string;
  readonly boards?: readonly BoardKind[];
}

const filters: readonly RowFilter<KepLine>[] = [
  { name: 'ready', label: 'Ready', fits: ({ readiness, isClosed }: KepLine) => readiness === 'ready' && !isClosed },
  { name: 'open', label: 'Sections to write', fits: ({ readiness }: KepLine) => readiness === 'open' },
  { name: 'blocked', label: 'With errors', fits: ({ readiness }: KepLine) => readiness === 'blocked' },
];

/** All proposals of a checkout, by stage. */
export function KepsPage() {
  const { query } = useAddress();
  const { rows, problem } = useRows<KepLine>('/api/live/keps');
  const { root = '', boards = [] } = useBoards(rows?.length ?? -1);
  const text = (query.get('q') ?? '').toLowerCase();
  const chosen = filters.find(({ name }) => name === query.get('is'));
  const fitting = (rows ?? []).filter((row) => (chosen?.fits(row) ?? true) && wordsOf(row).includes(text));
  return (
    <>
      <header class="page-head">
        <h1>KEPs</h1>
        {rows && (
          <p class="faint">
            {fittingOf(fitting, rows)} {root && `in ${root}`}
          </p>
        )}
      </header>
      <Pending what="proposals" shown={rows} problem={problem} />
      {rows?.length === 0 && (
        <Empty title="No proposals">
          <p>The console was not started in a checkout with proposals. Name one:</p>
          <Command text="slipway console --root DIR" />
          <p>
            Or write the first: <Command text="slipway kep new --help" />
          </p>
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <div class="filters">
          <Search label="Find a proposal" value={query.get('q') ?? ''} />
          <OneOf filters={filters} rows={rows} chosen={chosen} />
        </div>
      )}
      {rows && rows.length > 0 && fitting.length === 0 && (
        <Missing title="No proposal fits" all="/keps" link={`Show all ${rows.length}`} />
      )}
      {fitting.length > 0 &&
        boards.map((board) => (
          <Board
            key={board.name}
            board={board}
            isOneOfMany={boards.length > 1}
            lines={fitting.filter((line) => line.board === board.name)}
          />
        ))}
    </>
  );
}

/** Reads the boards again when proposals come or go. */
function useBoards(count: number): Boards {
  const [boards, setBoards] = useState<Boards>({});
  useEffect(() => {
    if (count > 0) ask<Boards>('/api/keps/boards').then(setBoards, () => {});
  }, [count]);
  return boards;
}

function wordsOf({ title, number, sig, gates, people, milestone }: KepLine): string {
  return [title, number, sig, milestone, ...gates, ...people].join(' ').toLowerCase();
}

interface BoardProps {
  readonly board: BoardKind;
  readonly isOneOfMany: boolean;
  readonly lines: readonly KepLine[];
}

function Board({ board: { name, columns }, isOneOfMany, lines }: BoardProps) {
  return (
    <>
      {isOneOfMany && <h2 class="below">{name}</h2>}
      <div class="board">
        {columns.map(({ id, title, about }) => {
          const cards = lines.filter(({ column }) => column === id);
          return (
            <section key={id} class="column" aria-labelledby={`column-${id}`}>
              <h2 id={`column-${id}`}>
                {title} <span class="count">{cards.length}</span>
              </h2>
              <p class="faint">{about}</p>
              <ol>
                {cards.map((line) => (
                  <Card key={line.key} line={line} />
                ))}
              </ol>
            </section>
          );
        })}
      </div>
    </>
  );
}

function Card({ line }: { readonly line: KepLine }) {
  const { key, number, title, sig, milestone, gates } = line;
  return (
    <li class="card">
      <Link to={`/keps/${encodeURIComponent(key)}`}>
        {number && <span class="faint">{number} </span>}
        {title}
      </Link>
      <p class="faint">{[sig, milestone, ...gates].filter((each) => each !== '').join(' · ')}</p>
      <Readiness line={line} />
    </li>
  );
}

/** Shows how much of a proposal is written, and what hinders it. */
export function Readiness({ line }: { readonly line: KepLine }) {
  const { isClosed, demanded, answered, errors, readiness } = line;
  if (isClosed || demanded === 0) return null;
  return (
    <p class="progress">
      <Bar done={answered} total={demanded} label={`${answered} of ${demanded} sections`} />
      <span class={readiness === 'blocked' ? 'warn' : ''}>
        {readiness === 'blocked'
          ? `${errors} ${errors === 1 ? 'error' : 'errors'}`
          : readiness === 'open'
            ? `${demanded - answered} open`
            : 'ready'}
      </span>
    </p>
  );
}
