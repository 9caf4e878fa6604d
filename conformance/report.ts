import type { Finding } from './play-scenario.js';
import { allSteps, type Scenario } from './scenario.js';

/** One behaviour that programs rely on. */
export interface Row {
  readonly id: string;
  /** MUST: kubectl, informers and controllers do not work without. */
  readonly level: 'MUST' | 'SHOULD';
  readonly behaviour: string;
}

/**
 * What is known of a row. Only `pass` is parity: all held, and each expectation was compared with a real API
 * server. `unverified` held as well, but against what documents say; `not played` had no runner here.
 */
export type Standing = 'pass' | 'unverified' | 'differs' | 'not supported' | 'not played';

export interface RowReport extends Row {
  readonly standing: Standing;
  readonly scenarios: number;
  /** How many expectations its scenarios have, and how many of them were compared with a real API server. */
  readonly expectations: number;
  readonly compared: number;
  readonly runners: readonly string[];
  readonly notes: readonly string[];
}

export interface ParityReport {
  /** `gitVersion` of the API server that was asked. */
  readonly server: string;
  readonly rows: readonly RowReport[];
  readonly findings: readonly Finding[];
}

/** What a run against a real cluster held: scenarios by id, each compared from then on. */
export type Compared = ReadonlySet<string>;

/** Summarizes the findings of a run by row, in whatever order they came in. */
export function rowReports(
  rows: readonly Row[],
  scenarios: readonly Scenario[],
  findings: readonly Finding[],
  compared: Compared,
): readonly RowReport[] {
  return rows.map((row) => {
    const its = scenarios.filter((scenario) => scenario.rows.includes(row.id));
    const found = findings.filter((finding) => finding.rows.includes(row.id));
    const counts = its.map((scenario) => countsOf(scenario, compared));
    const expectations = sum(counts.map((count) => count.expectations));
    const done = sum(counts.map((count) => count.compared));
    return {
      ...row,
      standing: standingOf(its, found, done === expectations),
      scenarios: its.length,
      expectations,
      compared: done,
      runners: [...new Set(found.map(({ runner }) => runner))].sort(),
      notes: found.flatMap(({ scenario, runner, notes }) => notes.map((note) => `${scenario} (${runner}): ${note}`)),
    };
  });
}

function standingOf(its: readonly Scenario[], found: readonly Finding[], allCompared: boolean): Standing {
  if (found.some(({ outcome }) => outcome === 'differs')) return 'differs';
  if (found.some(({ outcome }) => outcome === 'not supported')) return 'not supported';
  if (!its.every(({ id }) => found.some(({ scenario }) => scenario === id))) return 'not played';
  return allCompared ? 'pass' : 'unverified';
}

function countsOf({ id, steps }: Scenario, compared: Compared): { expectations: number; compared: number } {
  const expectations = allSteps(steps).flatMap(({ expect }) => expect ?? []);
  const done = compared.has(id) ? expectations : expectations.filter((expectation) => expectation.compared);
  return { expectations: expectations.length, compared: done.length };
}

/** One line for each row; `wide` says who played it and what it is about. */
export function renderReport({ server, rows }: ParityReport, wide = false): string {
  const heading = ['ROW', 'LEVEL', 'PARITY', 'SCENARIOS', 'COMPARED', ...(wide ? ['PLAYED BY'] : []), 'BEHAVIOUR'];
  const lines = rows.map((row) => [
    row.id,
    row.level,
    row.standing,
    String(row.scenarios),
    `${row.compared}/${row.expectations}`,
    ...(wide ? [row.runners.join(', ') || '<none>'] : []),
    row.behaviour,
  ]);
  const widths = heading.map((_, at) => Math.max(...[heading, ...lines].map((line) => line[at]?.length ?? 0)));
  const table = [heading, ...lines].map((line) =>
    line.map((cell, at) => (at === line.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('   '),
  );
  const notes = [...new Set(rows.flatMap((row) => row.notes))];
  const totals = [...new Set(rows.map((row) => row.standing))]
    .map((standing) => `${rows.filter((row) => row.standing === standing).length} ${standing}`)
    .join(', ');
  return `${[...table, ...(notes.length > 0 ? ['', ...notes] : []), '', `${server}: ${totals}`].join('\n')}\n`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
