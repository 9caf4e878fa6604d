import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Compared, ParityReport } from './report.js';
import type { Scenario } from './scenario.js';

/** What a run against a real cluster showed: which scenarios held, as they were written then. */
export interface ComparisonRecord {
  /** `gitVersion` of the API server. */
  readonly server: string;
  /** Day of the run, `2026-11-22`. */
  readonly on: string;
  /** Digest of the steps by scenario. One that is changed later has to be compared again. */
  readonly held: Readonly<Record<string, string>>;
}

/** A file that is not a record of a run. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
}

/** Records the differences that every runner found. A server of ours compares nothing. */
export function recordOf(
  { server, findings }: ParityReport,
  scenarios: readonly Scenario[],
  nowMs: number,
): ComparisonRecord {
  const real = server.includes('+slipway') ? [] : scenarios;
  const held = real.filter(({ id }) => {
    const its = findings.filter(({ scenario }) => scenario === id);
    return its.length > 0 && its.every(({ outcome }) => outcome === 'held');
  });
  const digests = held.map((scenario) => [scenario.id, digestOf(scenario)] as const);
  return { server, on: new Date(nowMs).toISOString().slice(0, 10), held: Object.fromEntries(digests.sort()) };
}

/** The scenarios that a record shows, as they are now. */
export function comparedBy(records: readonly ComparisonRecord[], scenarios: readonly Scenario[]): Compared {
  const shown = scenarios.filter((scenario) => records.some(({ held }) => held[scenario.id] === digestOf(scenario)));
  return new Set(shown.map(({ id }) => id));
}

/** The records that are kept with the scenarios, in `compared/`. @throws RecordError */
export function readRecords(folder: string): readonly ComparisonRecord[] {
  const records = join(folder, 'compared');
  if (!existsSync(records)) return [];
  const files = readdirSync(records).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => readRecord(join(records, file)));
}

/** Reads one record. @throws RecordError when the file is none. */
export function readRecord(path: string): ComparisonRecord {
  try {
    const { server, on, held } = JSON.parse(readFileSync(path, 'utf8')) as ComparisonRecord;
    if (typeof held === 'object' && held !== null) return { server, on, held };
  } catch (error) {
    throw new RecordError(`${path} is not a record of a run with --record`, { cause: error });
  }
  throw new RecordError(`${path} is not a record of a run with --record`);
}

function digestOf({ steps }: Scenario): string {
  return createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 16);
}
