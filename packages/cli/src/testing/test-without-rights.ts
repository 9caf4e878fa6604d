import { type Cluster, type ClusterOptions, startCluster } from '@slipway/devcluster';
import { silentLog } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type GrantedRight,
  inSteps,
  type RightsTrial,
  rightsToTry,
  type TrialResult,
  tryWithout,
} from './missing-rights.js';
import { documentedTable, type Purposes, resourceOf, rightsTable } from './rights-table.js';

/** A process whose rights are taken away one by one. */
export interface TriedProcess {
  /** Its name in `docs/operations/rights.md`. */
  readonly name: string;
  readonly rights: readonly GrantedRight[];
  readonly purposes: Purposes;
  /** Where users see that an optional right is missing, by right. */
  readonly elsewhere?: Purposes;
  /** Starts a cluster for its trial, which ends with `signal`. */
  start(signal: AbortSignal): Promise<StartedTrial>;
}

export interface StartedTrial {
  readonly trial: RightsTrial;
  stop(): Promise<void>;
}

/** Starts a cluster whose time passes in steps, and a trial in it. */
export async function startInSteps(
  options: Omit<ClusterOptions, 'clock' | 'log'>,
  trialIn: (cluster: Cluster) => Promise<RightsTrial>,
): Promise<StartedTrial> {
  const cluster = await startCluster({ ...options, log: silentLog, clock: new ManualClock(Date.now()) });
  await inSteps(cluster, cluster.ready());
  return { trial: await inSteps(cluster, trialIn(cluster)), stop: () => inSteps(cluster, cluster.stop()) };
}

/** Registers the tests that a process does without any one of its rights, and that the documentation tells of each. */
export function testWithoutRights({ name, rights, purposes, elsewhere = {}, start }: TriedProcess): void {
  const stopping = new AbortController();
  const results: TrialResult[] = [];
  let started: StartedTrial;

  beforeAll(async () => {
    started = await start(stopping.signal);
  }, 60_000);
  afterAll(async () => {
    stopping.abort();
    await started.stop();
  });

  test(`without any one of its rights the ${name} lives, names that right, and goes on once it has it`, async () => {
    for (const right of rightsToTry(rights)) results.push(await tryWithout(started.trial, right));
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    const silent = results.filter(({ named }) => named === 'nowhere').map(({ right }) => right.verb);
    expect(silent.filter((verb) => !(verb in elsewhere))).toEqual([]);
  }, 240_000);

  test('docs/operations/rights.md says what each right is for and what happens without it', () => {
    expect(Object.keys(purposes).sort()).toEqual([...new Set(rights.map(resourceOf))].sort());
    const table = rightsTable(results, purposes, elsewhere);
    expect(documentedTable(`Each right of the ${name}`, table)).toBe(table);
  });
}
