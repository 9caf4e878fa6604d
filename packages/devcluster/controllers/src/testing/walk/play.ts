import { type AClusterOptions, aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { ObjectRef, ResourceRef } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { cronJobs } from '@slipway/kube-objects/kinds/api/cron-jobs';
import { daemonSets } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { services } from '@slipway/kube-objects/kinds/api/services';
import { deployments, statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import { NodeNetwork } from '@slipway/simulated-kubelet/node/node-network';
import { expect } from 'vitest';
import { leftBehind, unsettled } from './at-rest.js';
import { FaultyApi, randomFrom } from './faulty-api.js';
import { History } from './history.js';
import { Laws } from './laws.js';
import { createWorkloads } from './objects.js';
import { putRight, type Stage, type Step, take } from './story.js';
import { WhoWrote } from './who-wrote.js';

/**
 * Plays a story on a cluster of its own, from its workloads to their end: at every moment the laws hold, and after it
 * everything comes to rest. All that is drawn follows from `chance`.
 */
export async function play(
  story: readonly Step[],
  chance: number,
  watched: Pick<AClusterOptions, 'noticing'> = {},
): Promise<void> {
  const clock = new ManualClock();
  const waits = countingWaits(clock);
  const random = randomFrom(chance);
  const network = new NodeNetwork();
  const api = new FaultyApi(clock, random);
  const whoWrote = new WhoWrote();
  const laws = new Laws(whoWrote);
  const cluster = await aCluster({
    nodes: 3,
    ...watched,
    clock,
    random,
    network,
    delays: { startMs: 200, readyMs: 300, stopMs: 200 },
    gates: 'MaxUnavailableStatefulSet=true',
    transportOf: (component, transport) => api.through(whoWrote.through(component, transport)),
  });
  const { kube } = cluster;
  const stage: Stage = { cluster, network, api, laws };
  const history = new History(kube);
  const pass = async (ms: number) => {
    await rest(clock, ms);
    const changes = history.take();
    for (const change of changes) laws.see(change);
    laws.count(whoWrote.takeWrites(), ms);
    laws.countWaits(waits.take(), ms, changes.length);
    expect(laws.broken).toEqual([]);
  };
  /** Some steps take time themselves. */
  const during = async (work: Promise<unknown>) => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    for (let waited = 0; !isDone && waited < 600_000; waited += 100) await pass(100);
    expect(isDone, 'a step that never ends').toBe(true);
    await done;
  };
  const until = async (left: () => Promise<readonly string[]>) => {
    let open = await left();
    for (let waited = 0; open.length > 0 && waited < 1_800_000; waited += 5_000) {
      await pass(5_000);
      open = await left();
    }
    expect(open).toEqual([]);
  };
  try {
    await createWorkloads(kube);
    await until(() => unsettled(kube));
    laws.up(3);
    for (const each of story) {
      await during(take(stage, each));
      await pass(each.restMs);
    }
    await during(putRight(stage));
    await until(() => unsettled(kube));
    laws.down();
    await during(takeAway(stage));
    await until(() => leftBehind(kube));
  } finally {
    api.faults = { fails: 0, losesAnswer: 0, slow: 0 };
    await history.stop();
    await passing(clock, cluster[Symbol.asyncDispose]());
  }
}

/** Lets time pass until `work` is done: whoever is to stop in the middle of a story may wait for a slow answer. */
async function passing(clock: ManualClock, work: Promise<void>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  for (let waited = 0; !isDone && waited < 600_000; waited += 100) await rest(clock, 100);
  expect(isDone, 'a cluster that never stops').toBe(true);
  await done;
}

/** Deletes every workload. */
async function takeAway({ cluster: { kube }, laws }: Stage): Promise<void> {
  const away = (of: ResourceRef, ref: ObjectRef) =>
    kube
      .resource(of)
      .delete(ref, { propagationPolicy: 'Background' })
      .catch(() => {});
  for (const name of ['patient', 'hasty']) await away(cronJobs, { namespace: 'default', name });
  for (const name of ['web', 'shop', 'anew']) await away(deployments, { namespace: 'default', name });
  await away(deployments, { namespace: 'small', name: 'many' });
  for (const name of ['db', 'ring']) await away(statefulSets, { namespace: 'default', name });
  for (const name of ['agent', 'probe']) await away(daemonSets, { namespace: 'default', name });
  await away(services, { namespace: 'default', name: 'web' });
  for (const { metadata } of laws.jobs()) await away(jobs, { namespace: 'default', name: metadata.name ?? '' });
}

/** Lets time pass from timer to timer, and lets everybody work in between. */
async function rest(clock: ManualClock, ms: number): Promise<void> {
  const untilMs = clock.monotonicMs() + ms;
  do {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    const leftMs = untilMs - clock.monotonicMs();
    await clock.advance(Math.min(leftMs, Math.max(50, clock.nextTimerMs() ?? leftMs)));
  } while (clock.monotonicMs() < untilMs);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** How often a component began to wait for time to pass since the last call. */
function countingWaits(clock: ManualClock): { take(): number } {
  let count = 0;
  const after = clock.after.bind(clock);
  clock.after = (delayMs, run) => {
    count += 1;
    return after(delayMs, run);
  };
  return {
    take: () => {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
