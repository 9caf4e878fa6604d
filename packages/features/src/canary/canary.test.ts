import { canaryBucket } from '@slipway/feature-gates';
import { Kube } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CanaryStep } from '../api/canary.js';
import type { FeatureStatus } from '../api/feature.js';
import type { GateValue } from '../api/feature-vector.js';
import type { Situation } from '../lifecycle/situation.js';
import { step } from '../lifecycle/step.js';
import { aDefinition, after, allOff, allOn, aSituation, startMs } from '../testing/a-situation.js';
import { aTaskContext } from '../testing/a-task-context.js';
import type { RollCall } from '../uses/roll-call.js';
import type { Measure } from './analysis.js';
import { canaryTask } from './canary-task.js';

const definition = {
  ...aDefinition,
  components: [{ name: 'agent', required: true, roster: 'Nodes' as const }],
  references: [],
  tasks: {},
};

/** A hundred agents on as many nodes, half of them in zone a, that follow what is published; and the server that publishes. */
class Fleet {
  readonly clock = new ManualClock();
  readonly api = inMemoryApi({ clock: this.clock });
  readonly kube = new Kube(this.api, { clock: this.clock });
  readonly nodes = Array.from({ length: 100 }, (_, index) => `n${index}`);
  readonly measures: Record<string, Measure> = {};
  /** Nodes whose agent does not come along. */
  readonly stuck = new Set<string>();
  readonly running = new Map<string, boolean>();
  readonly seen: number[] = [];
  situation: Situation;
  #ids = 0;

  constructor(steps: readonly CanaryStep[], from: 'On' | 'Off' = 'Off') {
    const desired = from === 'On' ? 'Off' : 'On';
    this.situation = aSituation(from, {
      nowMs: startMs,
      spec: { desired, canary: { steps } },
      definition: { spec: definition, digest: 'definition', revision: 'u1/1', problems: [] },
      uses: from === 'On' ? allOn : allOff,
    });
    for (const node of this.nodes) this.running.set(node, from === 'On');
  }

  async label(): Promise<this> {
    for (const [index, name] of this.nodes.entries()) {
      const labels = { zone: index % 2 === 0 ? 'a' : 'b' };
      await this.kube.resource({ group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false }).create({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels },
      });
    }
    return this;
  }

  get status(): FeatureStatus {
    return this.situation.status;
  }

  get head(): string | undefined {
    const head = this.status.transition?.tasks[0];
    return head && `${head.name}: ${head.message ?? ''}`;
  }

  /** Steps, runs what the step wants run, and lets the agents follow, until nothing happens at once. */
  async settle(passMs = 0): Promise<void> {
    this.situation = { ...this.situation, nowMs: this.situation.nowMs + passMs };
    await this.clock.advance(passMs);
    for (let turns = 0; turns < 40; turns++) {
      const taken = step({ ...this.situation, newId: `t${this.#ids++}`, uses: this.#uses() });
      this.situation = after(this.situation, taken);
      this.#follow();
      const run = taken.next;
      if (run?.kind !== 'run') {
        if (taken.wakeAfterMs !== 200) return;
        continue;
      }
      const { transition } = this.status;
      if (!transition) throw new Error('a task runs without a transition');
      const outcome =
        run.task.kind === 'Canary'
          ? await canaryTask(this.measures).run(
              aTaskContext(run.task, {
                kube: this.kube,
                clock: { ...this.clock, now: () => this.situation.nowMs } as ManualClock,
                definition,
                transition,
                task: run.task,
                feature: { ...aTaskContext(run.task).feature, spec: this.situation.spec, status: this.status },
                rollCalls: () => [this.#rollCall()],
              }),
            )
          : ({ kind: 'done', ...(run.task.kind === 'Publish' && { publish: transition.to === 'On' }) } as const);
      this.situation = { ...this.situation, report: { transition: transition.id, task: run.task.name, outcome } };
    }
    throw new Error(`it does not come to rest: ${this.head}`);
  }

  #follow(): void {
    const { published } = this.status;
    if (!published) return;
    const { value, rules = [] } = published;
    for (const [index, node] of this.nodes.entries()) {
      const rule = rules.find(({ percent, selector }) =>
        percent === undefined
          ? selector?.matchLabels.zone === (index % 2 === 0 ? 'a' : 'b')
          : canaryBucket('Widgets', { instance: node, node }) < percent * 100,
      );
      if (!this.stuck.has(node)) this.running.set(node, rule?.value ?? value);
    }
    this.seen.push(this.on);
  }

  get on(): number {
    return [...this.running.values()].filter(Boolean).length;
  }

  #uses() {
    return this.on === 100 ? allOn : allOff;
  }

  #rollCall(): RollCall {
    const answers = [true, false].map((enabled) => ({
      gates: new Map<string, GateValue>([['Widgets', { name: 'Widgets', enabled }]]),
      read: new Set<string>(),
      version: '1.34',
      emulationVersion: undefined,
      processes: this.nodes
        .filter((node) => this.running.get(node) === enabled)
        .map((node) => ({ name: `agent.${node}`, component: 'agent', instance: node, node, binaryVersion: '1.34' })),
    }));
    return { component: 'agent', required: true, answers, silent: [] } as unknown as RollCall;
  }
}

test('a canary brings the value to ever more processes, and bakes between the steps', async () => {
  const fleet = new Fleet([
    { percent: 10, bake: '60s' },
    { percent: 50, bake: '60s' },
  ]);
  await fleet.settle();
  const tenth = fleet.on;
  expect(tenth).toBeGreaterThan(2);
  expect(tenth).toBeLessThan(25);
  expect(fleet.head).toMatch(/^Canary-1: step 1 of 2, 10 %: \d+ processes run it, watched since/);
  expect(fleet.status.transition?.tasks[0]).toMatchObject({ phase: 'Waiting', reason: 'Baking' });
  await fleet.settle(59_000);
  expect(fleet.on).toBe(tenth);
  await fleet.settle(1_000);
  expect(fleet.on).toBeGreaterThan(tenth);
  expect(fleet.on).toBeLessThan(100);
  await fleet.settle(60_000);
  expect(fleet.on).toBe(100);
  expect(fleet.status).toMatchObject({ state: 'On', published: { value: true } });
  expect(fleet.status.published).not.toHaveProperty('rules');
});

test('a step goes on only when all of its processes run the value, and names those that do not', async () => {
  const fleet = new Fleet([{ percent: 100 }]);
  fleet.stuck.add('n7').add('n8');
  await fleet.settle();
  expect(fleet.head).toBe('Canary-1: step 1 of 1, 100 %: 2 of 100 processes not yet: agent.n7, agent.n8');
  await fleet.settle(3_600_000);
  expect(fleet.status.state).toBe('TurningOn');
  fleet.stuck.clear();
  await fleet.settle(10_000);
  expect(fleet.status.state).toBe('On');
});

test('labels choose the processes of a step', async () => {
  const fleet = await new Fleet([{ selector: { matchLabels: { zone: 'a' } }, bake: '60s' }]).label();
  await fleet.settle();
  expect(fleet.on).toBe(50);
  expect(fleet.head).toContain('step 1 of 1, zone=a: 50 processes run it');
});

test('a measurement above its limit takes the value back from everybody, by itself, and it is not tried again', async () => {
  const fleet = new Fleet([{ percent: 10, bake: '10m', analysis: { name: 'errors', failAbove: 0.05 } }]);
  let errors = 0.01;
  fleet.measures.errors = async () => errors;
  await fleet.settle();
  expect(fleet.on).toBeGreaterThan(0);
  errors = 0.2;
  await fleet.settle(10_000);
  expect(fleet.on).toBe(0);
  const message = 'step 1 of 1, 10 %: errors is 0.2, above 0.05';
  expect(fleet.status).toMatchObject({ state: 'Off', canaryFailed: { to: 'On', message } });
  expect(fleet.status.history?.map(({ to, cause, result }) => [to, cause, result])).toEqual([
    ['Off', `CanaryFailed: ${message}`, 'Completed'],
    ['On', 'configured on by Spec', 'Superseded'],
  ]);
  const blocked = fleet.status.conditions?.find(({ type }) => type === 'Blocked');
  expect(blocked).toMatchObject({ status: 'True', reason: 'CanaryFailed', message });
  errors = 0;
  await fleet.settle(3_600_000);
  expect(fleet.status.state).toBe('Off');
});

test('after a canary failed, asking for something else tries again', async () => {
  const steps = [{ percent: 10, analysis: { name: 'errors', failAbove: 0 } }];
  const fleet = new Fleet(steps);
  let errors = 1;
  fleet.measures.errors = async () => errors;
  await fleet.settle();
  expect(fleet.status).toHaveProperty('canaryFailed');
  const { spec } = fleet.situation;
  fleet.situation = { ...fleet.situation, spec: { ...spec, desired: 'Off' } };
  await fleet.settle(1_000);
  expect(fleet.status).not.toHaveProperty('canaryFailed');
  errors = 0;
  fleet.situation = { ...fleet.situation, spec };
  await fleet.settle(1_000);
  expect(fleet.status.state).toBe('On');
});

test('while a measurement cannot be had nothing goes on, and nothing is taken back', async () => {
  const fleet = new Fleet([{ percent: 10, analysis: { name: 'errors', failAbove: 0 } }]);
  let isAway = true;
  fleet.measures.errors = async () => {
    if (isAway) throw new Error('connection refused');
    return 0;
  };
  await fleet.settle();
  expect(fleet.head).toBe('Canary-1: step 1 of 1, 10 %: errors cannot be measured: connection refused');
  expect(fleet.on).toBeGreaterThan(0);
  isAway = false;
  await fleet.settle(600_000);
  expect(fleet.status.state).toBe('On');
});

test('an analysis that this server does not have blocks before anything is published', async () => {
  const fleet = new Fleet([{ percent: 10, analysis: { name: 'errors', failAbove: 0 } }]);
  await fleet.settle();
  expect(fleet.on).toBe(0);
  expect(fleet.head).toContain('has no analysis errors in its local configuration');
});

test('turning off has a canary too, and a canary that is given up publishes to everybody at once', async () => {
  const fleet = new Fleet([{ percent: 10, bake: '60s' }], 'On');
  await fleet.settle();
  expect(fleet.on).toBeLessThan(100);
  expect(fleet.on).toBeGreaterThan(75);
  fleet.situation = { ...fleet.situation, spec: { ...fleet.situation.spec, desired: 'On' } };
  await fleet.settle(1_000);
  expect(fleet.on).toBe(100);
  expect(fleet.status.state).toBe('On');
  expect(fleet.status.transition).toBeUndefined();
});

test('a paused canary keeps what it has reached', async () => {
  const fleet = new Fleet([{ percent: 10, bake: '60s' }]);
  await fleet.settle();
  const reached = fleet.on;
  const { spec } = fleet.situation;
  fleet.situation = { ...fleet.situation, spec: { ...spec, paused: true } };
  await fleet.settle(3_600_000);
  expect([fleet.on, fleet.status.state]).toEqual([reached, 'TurningOn']);
  fleet.situation = { ...fleet.situation, spec };
  await fleet.settle(1_000);
  expect(fleet.status.state).toBe('On');
});

test('any steps: no process loses the value on the way, whatever the order of shares and labels', async () => {
  const anyStep = fc.oneof(
    fc.record({ percent: fc.integer({ min: 0, max: 100 }) }),
    fc.record({ selector: fc.constantFrom({ matchLabels: { zone: 'a' } }, { matchLabels: { zone: 'b' } }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 8 }), async (steps) => {
      const fleet = await new Fleet(steps).label();
      await fleet.settle();
      expect(fleet.seen).toEqual([...fleet.seen].sort((a, b) => a - b));
      expect(fleet.status.state).toBe('On');
    }),
    { numRuns: 25 },
  );
});

test('a component that is all or nothing cannot have a canary', () => {
  const components = [...definition.components, { name: 'server', required: true, roster: 'APIServers' as const }];
  const situation = new Fleet([{ percent: 10 }]).situation;
  const known = { spec: { ...definition, components }, digest: 'definition', revision: 'u1/1', problems: [] };
  const { status } = step({ ...situation, definition: known });
  expect(status.state).toBe('Off');
  expect(status.conditions?.find(({ type }) => type === 'Blocked')).toMatchObject({
    reason: 'CanaryUnsupported',
    message:
      'Widgets cannot have a canary: server (roster APIServers) is all or nothing; only nodes and pods can differ',
  });
});
