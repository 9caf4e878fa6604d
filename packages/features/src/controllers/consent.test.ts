import type { KubeRequest } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Feature } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import { apiVersion } from '../api/group.js';
import { workOf } from '../lifecycle/maintenance.js';
import { ChangeRefusedError } from '../operations/change-refused.js';
import type { Shown } from '../operations/give-consent.js';
import { previewPreparations, requestPreparation } from '../operations/prepare-upgrade.js';
import { previewApproval, previewChange, previewClean } from '../operations/preview-change.js';
import { approveTransition, requestChange, requestClean } from '../operations/request-change.js';
import { aCluster } from '../testing/a-cluster.js';
import { serve } from '../testing/serve.js';
import { revisionOf } from '../view/feature-view.js';

const gate = 'KiteFlying';
const ref = { name: 'kiteflying', namespace: 'kube-system' };
const kites = { group: 'acme.io', plural: 'widgets' };
const clear = { kind: 'ClearCollection', args: { group: 'acme.io', resource: 'widgets' } };
const definition: FeatureDefinitionSpec = {
  gate,
  components: [{ name: 'kube-apiserver', roster: 'Self' }],
  dynamic: 'Live',
  references: [{ group: 'acme.io', resource: 'widgets', kind: 'Object' }],
  tasks: { off: [clear], upgrade: [{ from: '1.34', to: '1.35', ...clear }] },
};
/** How long consent holds here; more than an audit takes to come round. */
const forMs = 900_000;
const broken = {
  ...definition,
  tasks: { off: [{ kind: 'Nope' }], upgrade: [{ from: '1.34', to: '1.35', kind: 'Nope' }] },
};

/** What a person has agreed to, and what was there to be seen. */
interface Agreement {
  readonly plan: string;
  readonly revision: string;
  readonly uids: ReadonlySet<string>;
  readonly endsMs: number;
}

/** A cluster with a feature server and objects; notes every deletion that the last consent did not cover. */
class World {
  readonly cluster = aCluster();
  readonly violations: string[] = [];
  /** Keeps its value, whatever is published, while it is held. */
  readonly process = { component: 'kube-apiserver', instance: 'one', gate, value: true, pinned: false };
  deleted = 0;
  #agreement: Agreement | undefined;
  #stop: (() => Promise<void>) | undefined;
  #created = 0;

  async begin(): Promise<void> {
    const metadata = { ...ref };
    await this.cluster.kube
      .resource(FeatureDefinition)
      .create({ apiVersion, kind: 'FeatureDefinition', metadata, spec: definition });
    this.cluster.processes(this.process);
    this.fly(3);
    this.serve();
    await this.cluster.until(() => this.feature?.status?.state === 'On');
  }

  get feature(): Feature | undefined {
    return this.cluster.feature(ref.name);
  }

  fly(count: number): void {
    for (let more = 0; more < count; more++) {
      const metadata = { name: `kite-${this.#created++}`, namespace: 'default' };
      this.cluster.api.seed(kites, { apiVersion: 'acme.io/v1', kind: 'Widget', metadata });
    }
  }

  serve(): void {
    if (this.#stop) return;
    const kube = this.cluster.client((request) => this.#watch(request));
    this.#stop = serve(kube, { guard: { settleMs: 0 }, verifyGapMs: 0 });
  }

  async away(): Promise<void> {
    await this.#stop?.();
    this.#stop = undefined;
  }

  async define(spec: FeatureDefinitionSpec): Promise<void> {
    await this.cluster.kube.resource(FeatureDefinition).mutate(ref, (stored) => ({ ...stored, spec }));
  }

  async edit(spec: object): Promise<void> {
    await this.cluster.kube.resource(Feature).merge(ref, { spec });
  }

  /** What a command does: show, and then consent; a refusal is an answer. */
  async agree<T extends Partial<Shown>>(show: () => Promise<T>, give: (shown: T) => Promise<Feature>): Promise<void> {
    try {
      const shown = await show();
      const uids = new Set(this.cluster.api.stored(kites).map(({ metadata }) => metadata.uid ?? ''));
      const { spec } = await give(shown);
      if (!spec.consent || spec.consent.plan !== shown.plan) return;
      const endsMs = this.cluster.clock.now() + forMs;
      this.#agreement = { plan: spec.consent.plan, revision: spec.consent.definition, uids, endsMs };
    } catch (error) {
      if (!(error instanceof ChangeRefusedError)) throw error;
    }
  }

  #watch({ method, path }: KubeRequest): void {
    const name = /\/widgets\/([^/?]+)/.exec(path)?.[1];
    if (method !== 'DELETE' || name === undefined) return;
    const uid = this.cluster.api.stored(kites).find(({ metadata }) => metadata.name === name)?.metadata.uid;
    if (uid === undefined) return;
    this.deleted++;
    const agreement = this.#agreement;
    const [stored] = this.cluster.api.stored({ group: 'features.slipway.dev', plural: 'featuredefinitions' });
    const why = !agreement
      ? 'there was no consent'
      : !agreement.uids.has(uid)
        ? 'it was not shown'
        : this.cluster.clock.now() >= agreement.endsMs
          ? 'the consent was over'
          : agreement.plan !== workOf(this.feature?.status)?.plan
            ? 'it was to another plan'
            : agreement.revision !== revisionOf(stored as FeatureDefinition)
              ? 'the definition had changed'
              : undefined;
    if (why !== undefined) this.violations.push(`${name}: ${why}`);
  }
}

type Event = (world: World) => Promise<void> | void;
const turn = (to: 'On' | 'Off') => (world: World) =>
  world.agree(
    () => previewChange(world.cluster.kube, world.feature as Feature, to),
    (shown) => requestChange(world.cluster.kube, shown, { consent: true, forMs }),
  );
const events: Readonly<Record<string, Event>> = {
  edit: (world) => world.define({ ...definition, conflictsWith: [`Other${world.cluster.clock.now() % 7}`] }),
  break: (world) => world.define(broken),
  repair: (world) => world.define(definition),
  on: turn('On'),
  off: turn('Off'),
  approve: (world) =>
    world.agree(
      () => previewApproval(world.cluster.kube, world.feature as Feature),
      (shown) => approveTransition(world.cluster.kube, shown, { forMs }),
    ),
  clean: (world) =>
    world.agree(
      () => previewClean(world.cluster.kube, world.feature as Feature),
      (shown) => requestClean(world.cluster.kube, shown, { forMs }),
    ),
  prepare: async (world) => {
    const view = { from: '1.34', to: '1.35', features: [world.feature as Feature] };
    const [stored] = world.cluster.api.stored({ group: 'features.slipway.dev', plural: 'featuredefinitions' });
    const definitions = new Map([[gate, (stored as FeatureDefinition).spec]]);
    const [shown] = await previewPreparations(world.cluster.kube, { ...view, definitions });
    if (shown)
      await world.agree(
        async () => shown,
        () => requestPreparation(world.cluster.kube, shown, { forMs }),
      );
  },
  objects: (world) => world.fly(2),
  pause: (world) => world.edit({ paused: true }),
  resume: (world) => world.edit({ paused: false }),
  hold: ({ process }) => {
    process.pinned = true;
  },
  release: ({ process }) => {
    process.pinned = false;
  },
  'server away': (world) => world.away(),
  'server back': (world) => world.serve(),
  moment: (world) => world.cluster.clock.advance(1_000),
  minutes: (world) => pass(world, 600_000),
  later: (world) => pass(world, forMs),
};

/** Processes follow what is published meanwhile, and report. */
async function pass({ cluster }: World, ms: number): Promise<void> {
  const endMs = cluster.clock.now() + Math.min(ms, 20_000);
  await cluster.until(() => cluster.clock.now() >= endMs, 60_000);
  await cluster.clock.advance(Math.max(0, ms - 20_000));
}

async function play(story: readonly string[]): Promise<World> {
  const world = new World();
  await world.begin();
  for (const name of story) {
    // The API server's times have a resolution of one second: what happens in the same second is not told apart.
    await world.cluster.clock.advance(1_000);
    await events[name]?.(world);
    await pass(world, 500);
  }
  await pass(world, 60_000);
  await world.away();
  return world;
}

// story | objects that are deleted
const stories: [string, number][] = [
  ['off', 3],
  ['prepare', 3],
  ['off,later', 3],
  ['hold,off,moment,release', 3],
  ['hold,off,later,release', 0],
  ['hold,off,objects,release', 0],
  ['hold,off,objects,release,minutes,approve', 5],
  ['hold,off,edit,release', 0],
  ['hold,off,break,repair,release,minutes', 0],
  ['hold,off,server away,later,server back,release', 0],
  // The consent that was left lying: refused while the definition is not accepted, so there is none when it is repaired.
  ['break,moment,prepare,moment,repair,minutes', 0],
  ['break,moment,off,moment,repair,minutes', 0],
  // And the way round, when it was given before.
  ['pause,break,resume,repair,minutes', 0],
  ['server away,minutes,off,server back,minutes', 0],
  ['server away,minutes,prepare,server back,minutes', 0],
  // Done is not a dead end: what was created since needs consent again.
  ['prepare,minutes,objects,minutes', 3],
  ['prepare,minutes,objects,prepare,minutes', 5],
  ['off,minutes,objects,minutes', 3],
  ['off,minutes,objects,clean,minutes', 5],
  // It is off already, so no plan was shown.
  ['off,minutes,objects,off,minutes', 3],
];
test.each(stories)(
  '%s: %d objects are deleted',
  async (story, deleted) => {
    const world = await play(story.split(','));
    expect(world.violations).toEqual([]);
    expect(world.deleted).toBe(deleted);
  },
  120_000,
);

test('whatever is edited, broken, repaired, approved and created, no object is deleted that the last consent did not cover', async () => {
  const any = fc.constantFrom(...Object.keys(events));
  const meanwhile = fc.constantFrom('objects', 'objects', 'moment', 'edit', 'break', 'repair', 'approve');
  const story = fc.tuple(
    fc.array(any, { maxLength: 1 }),
    fc.constantFrom(['hold', 'off'], ['hold', 'off'], ['off'], ['prepare']),
    fc.array(fc.oneof({ weight: 3, arbitrary: meanwhile }, any), { maxLength: 3 }),
    fc.constantFrom(['release'], ['release', 'approve']),
    fc.array(any, { maxLength: 2 }),
  );
  let deleted = 0;
  await fc.assert(
    fc.asyncProperty(story, async (parts) => {
      const world = await play(parts.flat());
      deleted += world.deleted;
      expect(world.violations).toEqual([]);
    }),
    { numRuns: 40 },
  );
  // Otherwise it proves nothing.
  expect(deleted).toBeGreaterThan(20);
}, 240_000);
