import { findCondition } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feature } from '../api/feature.js';
import type { Target } from '../api/target.js';
import type { ProcessSample } from '../api/uses-status.js';
import { ChangeRefusedError } from '../operations/change-refused.js';
import { previewChange } from '../operations/preview-change.js';
import { requestChange } from '../operations/request-change.js';
import { previewMode, requestMode } from '../operations/request-mode.js';
import { type Following, LibraryProcess } from './library-process.js';
import { gates, ModelCluster } from './model-cluster.js';

const gate = 'Cleared';
type Mode = 'Follow' | 'Central';
type Act =
  | { readonly kind: 'turn'; readonly to: Target }
  | { readonly kind: 'mode'; readonly mode: Mode; readonly accepts: boolean }
  | { readonly kind: 'pin'; readonly process: number; readonly value: boolean | undefined }
  | { readonly kind: 'restart'; readonly process: number }
  | { readonly kind: 'pass'; readonly ms: number };

const processIndex = fc.integer({ min: 0, max: 3 });
const just = <T>(value: T) => fc.constant(value);
const turn: fc.Arbitrary<Act> = fc.record({ kind: just('turn' as const), to: fc.constantFrom<Target>('On', 'Off') });
const mode: fc.Arbitrary<Act> = fc.record({
  kind: just('mode' as const),
  mode: fc.constantFrom<Mode>('Follow', 'Central'),
  accepts: fc.boolean(),
});
const value = fc.constantFrom(true, false, undefined);
const pin: fc.Arbitrary<Act> = fc.record({ kind: just('pin' as const), process: processIndex, value });
const restart: fc.Arbitrary<Act> = fc.record({ kind: just('restart' as const), process: processIndex });
const pass: fc.Arbitrary<Act> = fc.record({ kind: just('pass' as const), ms: fc.constantFrom(1_000, 10_000) });
const settle: fc.Arbitrary<Act> = just({ kind: 'pass', ms: 120_000 });
const stories = fc.array(fc.oneof(turn, turn, mode, mode, pin, restart, pass, settle, settle), {
  minLength: 2,
  maxLength: 12,
});
/** Mostly all alike: one that does not follow is enough to keep the feature from changing. */
const anyFollowing = fc.constantFrom<Following>('live', 'at-start', 'never');
const followings = fc.oneof(
  { weight: 2, arbitrary: just<Following[]>(['live', 'live', 'live', 'live']) },
  { weight: 1, arbitrary: fc.tuple(anyFollowing, anyFollowing, anyFollowing, anyFollowing) },
);

/** A cluster whose components use the real library. */
class World {
  readonly cluster: ModelCluster;
  readonly processes: LibraryProcess[] = [];

  constructor(each: readonly Following[]) {
    this.cluster = new ModelCluster({
      settleMs: 1_000,
      widgets: 2,
      process: (api, component, instance, clock) => {
        const following = each[this.processes.length] ?? 'live';
        const process = new LibraryProcess({ api, component, instance, gates, following, clock });
        this.processes.push(process);
        return process;
      },
    });
    this.cluster.startServer(1);
  }

  get feature(): Feature {
    const feature = this.cluster.feature(gate);
    if (!feature) throw new Error('no Feature yet');
    return feature;
  }

  /** Long enough for every process to report and for a transition to do what it can. */
  settle(): Promise<void> {
    return this.cluster.pass(120_000, 10_000);
  }

  async restartAll(): Promise<void> {
    for (const process of this.processes) process.restart();
    await this.settle();
  }

  condition(type: string) {
    return findCondition(this.feature.status?.conditions, type);
  }

  samples(): readonly ProcessSample[] {
    return this.feature.status?.uses?.components.flatMap(({ samples }) => samples) ?? [];
  }
}

async function requestState({ cluster, feature }: World, to: Target): Promise<void> {
  try {
    await requestChange(cluster.admin, await previewChange(cluster.admin, feature, to), { consent: true });
  } catch (error) {
    if (!(error instanceof ChangeRefusedError)) throw error;
  }
}

/** A change of mode that says nothing of losing the value must not lose it, whoever restarts afterwards. */
async function changeMode(world: World, mode: Mode, accepts: boolean): Promise<void> {
  const { admin } = world.cluster;
  const preview = await previewMode(admin, world.feature, mode);
  if (preview.leaving.length > 0) {
    if (accepts) await requestMode(admin, preview);
    return;
  }
  const before = world.condition('UpgradeSafe')?.status === 'True' ? world.feature.status?.state : undefined;
  await requestMode(admin, preview);
  if (before === undefined) return;
  await world.settle();
  await world.restartAll();
  expect(world.feature.status?.state, `after mode ${mode}`).toBe(before);
}

async function act(world: World, one: Act): Promise<void> {
  switch (one.kind) {
    case 'turn':
      return requestState(world, one.to);
    case 'mode':
      return changeMode(world, one.mode, one.accepts);
    case 'pin':
      world.processes[one.process]?.pin(gate, one.value);
      // A change of mode is judged by what processes have reported.
      return world.settle();
    case 'restart':
      return world.processes[one.process]?.restart();
    case 'pass':
      return world.cluster.pass(one.ms, 5_000);
  }
}

/** What the Feature says, against what processes do. */
async function check(world: World): Promise<void> {
  await world.settle();
  const { spec, status } = world.feature;
  const goal = status?.transition?.to ?? status?.state;
  if (spec.mode === 'Dynamic' && spec.desired !== 'Unmanaged') {
    for (const process of world.processes) {
      if (process.following === 'live' && !process.isPinned(gate))
        expect(process.runs(gate), `${process.instance} follows`).toBe(spec.desired === 'On');
    }
  }
  for (const { process: name, cause } of world.samples()) {
    expect(cause, `${name} disagrees for a reason`).toBeDefined();
    const process = world.processes.find(({ component, instance }) => name === `${component}.${instance}`);
    if (!process) continue;
    if (cause === 'PendingRestart') process.restart();
    else process.pin(gate, goal === 'On');
    await world.settle();
    expect(process.runs(gate), `${name} after the remedy for ${cause}`).toBe(goal === 'On');
  }
  await world.settle();
  const safe = world.condition('UpgradeSafe');
  const before = world.feature.status?.state;
  await world.restartAll();
  const isAsBefore = world.feature.status?.state === before && world.condition('UsesConsistent')?.reason !== 'Drift';
  if (safe?.status === 'True') expect(isAsBefore, 'UpgradeSafe, and all restarted').toBe(true);
  if (safe?.reason === 'PendingRestart') expect(isAsBefore, safe.message).toBe(false);
}

/** A mode that changes while a transition waits: those that could follow live must not wait for a restart. */
const examples: [Following[], Act[]][] = [
  [
    ['live', 'live', 'live', 'live'],
    [
      { kind: 'pin', process: 0, value: true },
      { kind: 'mode', mode: 'Central', accepts: false },
      { kind: 'pass', ms: 120_000 },
      { kind: 'turn', to: 'On' },
    ],
  ],
];

const numRuns = Number(process.env.SLIPWAY_SIMULATION_RUNS ?? 5);

test('any story of modes, flags and restarts: the Feature says what restarted processes run', async () => {
  await fc.assert(
    fc.asyncProperty(followings, stories, async (each, story) => {
      const world = new World(each);
      try {
        await world.settle();
        for (const one of story) await act(world, one);
        await check(world);
      } finally {
        await world.cluster.stop();
      }
    }),
    { numRuns, examples },
  );
}, 600_000);
