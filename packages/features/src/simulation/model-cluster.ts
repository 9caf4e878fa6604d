import { type Clock, Kube, type KubeObject, microTimestamp, type Runnable, silentLog } from '@slipway/kube';
import { type InMemoryApi, ManualClock } from '@slipway/kube/testing';
import { Feature, type FeatureSpec } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { kubernetesNamespace as namespace } from '../api/group.js';
import { clearField, type DefinedFeature, defineFeature, waitForNoObjects } from '../catalogue/define-feature.js';
import { featureServer } from '../controllers/feature-server.js';
import { Lease } from '../uses/watch-rosters.js';
import { FaultyTransport } from './faulty-transport.js';
import { ModelApi, uses, widgets } from './model-api.js';
import { ModelProcess, type SimulatedProcess } from './model-process.js';

/** Objects of one page: what a superseded or dead server may still change. */
export const pageSize = 50;

/** The gates of the simulation, by what turning them off does about the objects that use them. */
export const gates = ['Cleared', 'Held'] as const;
export type Gate = (typeof gates)[number];
/** The field of a widget that uses a gate. */
export const fieldOf: Readonly<Record<Gate, string>> = { Cleared: 'fancy', Held: 'held' };

const Node = { group: '', plural: 'nodes' };
const stepMs = 2_000;

interface ModelServer {
  readonly transport: FaultyTransport;
  readonly stopping: AbortController;
  readonly run: Runnable;
}

export interface ModelOptions {
  /** How long the guard waits for writes that were let in before it. */
  readonly settleMs?: number;
  readonly widgets?: number;
  /** Makes one process; a `ModelProcess` when absent. */
  readonly process?: (api: InMemoryApi, component: string, instance: string, clock: Clock) => SimulatedProcess;
}

/**
 * A cluster in memory under virtual time: an API server, processes that report,
 * users and a GitOps controller that write. The feature servers in it are the
 * real ones; each sees the API through a transport of its own, which can fail.
 */
export class ModelCluster {
  readonly clock = new ManualClock();
  readonly api = new ModelApi(this.clock);
  readonly admin = new Kube(this.api.transport('admin'), { clock: this.clock });
  readonly processes: SimulatedProcess[];
  readonly servers = new Map<number, ModelServer>();
  readonly #options: ModelOptions;
  readonly #watchers: (() => void)[] = [];
  readonly #random = numbers(7);
  #gitOps: string | undefined;
  /** A server is made to differ from the one before by a number, even if nothing else does. */
  #starts = 0;

  constructor(options: ModelOptions = {}) {
    this.#options = options;
    const nodes = ['n1', 'n2', 'n3'];
    for (const node of nodes) this.addNode(node);
    const make = options.process ?? ((api, component, instance) => new ModelProcess(api, component, instance, gates));
    this.processes = [
      make(this.api.memory, 'kube-apiserver', 'one', this.clock),
      ...nodes.map((node) => make(this.api.memory, 'kubelet', node, this.clock)),
    ];
    for (let index = 0; index < (options.widgets ?? 8); index++) this.put(index, index % 2 === 0 ? 'fancy' : undefined);
  }

  /** Called after every step: where invariants are checked. */
  onStep(check: () => void): void {
    this.#watchers.push(check);
  }

  /** Starts a feature server, or another one in its place when it is dead. */
  startServer(number: number, version = '0.1.0'): FaultyTransport {
    const known = this.servers.get(number);
    if (known) return known.transport;
    const name = `server-${number}`;
    const transport = new FaultyTransport(this.api.transport(`${name}/${++this.#starts}`), this.clock);
    const stopping = new AbortController();
    const run = featureServer({
      kube: new Kube(transport, { clock: this.clock }),
      identity: name,
      authors: 'Trust',
      version,
      definitions: definitions(),
      allowDynamic: ['*'],
      guard: { settleMs: this.#options.settleMs ?? 60_000 },
      log: silentLog,
      random: this.#random,
    });
    this.servers.set(number, { transport, stopping, run });
    void Promise.resolve(run.start(stopping.signal)).catch(() => {});
    return transport;
  }

  /** The process is gone: what it was about to send never leaves it. */
  killServer(number: number): void {
    const server = this.servers.get(number);
    server?.transport.die();
    server?.stopping.abort();
    void server?.run.stop?.();
    this.servers.delete(number);
  }

  /** Asked to stop, it does in order. */
  stopServer(number: number): void {
    const server = this.servers.get(number);
    server?.stopping.abort();
    void Promise.resolve(server?.run.stop?.()).catch(() => {});
    this.servers.delete(number);
  }

  /** Lets time pass, in steps in which everybody acts once. */
  async pass(ms: number, byMs = stepMs): Promise<void> {
    for (let leftMs = ms; leftMs >= 0; leftMs -= byMs) {
      await this.clock.advance(Math.min(leftMs, byMs));
      const nowMs = this.clock.monotonicMs();
      for (const process of this.processes) process.act(nowMs);
      this.#renewNodes();
      this.#applyFromGit();
      for (const check of this.#watchers) check();
      if (leftMs === 0) break;
    }
  }

  /** Lets time pass until it is so. @throws Error when it is not in time. */
  async until(isSo: () => boolean, withinMs = 600_000): Promise<void> {
    for (let passedMs = 0; !isSo(); passedMs += 500) {
      if (passedMs > withinMs) throw new Error(`not so after ${withinMs} ms: ${isSo}`);
      await this.pass(500, 500);
    }
  }

  feature(gate: Gate): Feature | undefined {
    return this.api.memory.stored(Feature).find(({ metadata }) => metadata.name === gate.toLowerCase()) as Feature;
  }

  async edit(gate: Gate, spec: Partial<FeatureSpec>): Promise<void> {
    if (!this.feature(gate)) return;
    await this.admin.resource(Feature).merge({ name: gate.toLowerCase(), namespace }, { spec });
  }

  /** Gives a definition one more task, or takes it away. */
  async define(gate: Gate, isLonger: boolean): Promise<void> {
    const definition = definitions()[gates.indexOf(gate)]?.object;
    if (
      !definition ||
      !this.api.memory.stored(FeatureDefinition).some(({ metadata }) => metadata.name === gate.toLowerCase())
    )
      return;
    const extra = isLonger
      ? [{ kind: 'MigrateStorage', args: { group: widgets.group, resource: widgets.plural } }]
      : [];
    const off = [...(definition.spec.tasks?.off ?? []), ...extra];
    const metadata = { labels: { 'features.slipway.dev/built-in': null } };
    await this.admin
      .resource(FeatureDefinition)
      .merge({ name: gate.toLowerCase(), namespace }, { metadata, spec: { tasks: { off } } });
  }

  /** A user writes a widget. Gives the guard that refused it, if one did. */
  put(index: number, field: string | undefined, landsInMs = 0): string | undefined {
    const before = this.widget(index);
    const metadata = before?.metadata ?? { name: `w${index}`, namespace: 'default', generation: 1 };
    const spec = { size: index, ...(field !== undefined && { [field]: 1 }) };
    const object: KubeObject = { apiVersion: 'acme.io/v1', kind: 'Widget', metadata, spec };
    const guard = this.api.guardAgainst(object, before);
    if (guard !== undefined) return guard;
    if (landsInMs === 0) this.api.memory.seed(widgets, object);
    else this.clock.after(landsInMs, () => this.api.memory.seed(widgets, object));
    return undefined;
  }

  async remove(index: number): Promise<void> {
    const name = `w${index}`;
    if (this.widget(index)) await this.admin.resource(Widget).delete({ name, namespace: 'default' });
  }

  widget(index: number): KubeObject | undefined {
    return this.api.memory.stored(widgets).find(({ metadata }) => metadata.name === `w${index}`);
  }

  users(gate: Gate): number {
    return this.api.memory.stored(widgets).filter((widget) => uses(widget, fieldOf[gate])).length;
  }

  addNode(name: string): void {
    this.api.memory.seed(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} });
  }

  async removeNode(name: string): Promise<void> {
    const isThere = this.nodes().includes(name);
    if (isThere)
      await this.admin.resource({ ...Node, version: 'v1', kind: 'Node', namespaced: false }).delete({ name });
  }

  nodes(): readonly string[] {
    return this.api.memory.stored(Node).map(({ metadata: { name = '' } }) => name);
  }

  /** From now on a user puts a field back into one widget whenever it was removed; no user when absent. */
  reAdd(field: string | undefined): void {
    this.#gitOps = field;
  }

  async stop(): Promise<void> {
    for (const number of [...this.servers.keys()]) this.killServer(number);
    await this.clock.advance(30_000);
  }

  #applyFromGit(): void {
    if (this.#gitOps !== undefined && !uses(this.widget(0), this.#gitOps)) this.put(0, this.#gitOps);
  }

  #renewNodes(): void {
    const nowMs = this.clock.now();
    const renewTime = microTimestamp(nowMs - (nowMs % 10_000));
    for (const { instance, isAlive, isCutOff, component } of this.processes) {
      if (component !== 'kubelet' || !isAlive || isCutOff || !this.nodes().includes(instance)) continue;
      const metadata = { name: instance, namespace: 'kube-node-lease' };
      const lease = this.api.memory.stored(Lease).find((one) => one.metadata.name === instance);
      if (lease?.spec?.renewTime === renewTime) continue;
      const spec = { holderIdentity: instance, renewTime };
      this.api.memory.seed(Lease, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
    }
  }
}

const Widget = { ...widgets, version: 'v1', namespaced: true };

function definitions(): readonly DefinedFeature[] {
  const components = [
    { name: 'kube-apiserver', required: true, roster: 'Self' },
    { name: 'kubelet', required: true, roster: 'Nodes' },
  ] as const;
  const stages = [{ version: '1.30', stage: 'Alpha', default: false }] as const;
  const common = { stages, components, dynamic: 'Live', cleanup: 'Automatic' } as const;
  const field = (gate: Gate) => ({ group: widgets.group, resource: widgets.plural, path: `spec.${fieldOf[gate]}` });
  const exercise = (gate: Gate) => [
    {
      apiVersion: 'acme.io/v1',
      kind: 'Widget',
      metadata: { name: 'x', namespace: 'default' },
      spec: { [fieldOf[gate]]: 1 },
    },
  ];
  return [
    defineFeature({
      ...common,
      gate: 'Cleared',
      references: [field('Cleared')],
      tasks: { off: [clearField(field('Cleared'))] },
      exercise: exercise('Cleared'),
    }),
    defineFeature({
      ...common,
      gate: 'Held',
      references: [field('Held')],
      tasks: { off: [waitForNoObjects({ ...field('Held'), message: 'remove them' }, { phase: 'BeforePublish' })] },
      exercise: exercise('Held'),
    }),
  ];
}

/** Numbers from 0 up to 1 that are the same in every run: a linear congruential generator. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
