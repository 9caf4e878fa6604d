import fc from 'fast-check';
import type { Desired } from '../api/feature.js';
import type { Fault } from './faulty-transport.js';
import { Invariants } from './invariants.js';
import { fieldOf, type Gate, gates, ModelCluster, type ModelOptions } from './model-cluster.js';

/** One thing that happens to a cluster; `ms` pass after it. */
export interface Happening {
  readonly ms: number;
  readonly what:
    | { readonly kind: 'turn'; readonly gate: Gate; readonly desired: Desired }
    | { readonly kind: 'pause'; readonly gate: Gate; readonly isPaused: boolean }
    | { readonly kind: 'waive'; readonly gate: Gate; readonly node: string }
    | { readonly kind: 'define'; readonly gate: Gate; readonly isLonger: boolean }
    | { readonly kind: 'server'; readonly server: number; readonly act: 'start' | 'kill' | 'stop' | 'cut' | 'heal' }
    | { readonly kind: 'upgrade'; readonly server: number; readonly version: string }
    | { readonly kind: 'fault'; readonly server: number; readonly fault: Fault }
    | { readonly kind: 'lag'; readonly server: number; readonly lagMs: number }
    | { readonly kind: 'replay'; readonly server: number }
    | { readonly kind: 'process'; readonly process: number; readonly act: 'crash' | 'restart' | 'cut' | 'heal' }
    | { readonly kind: 'pin'; readonly process: number; readonly gate: Gate; readonly value: boolean | undefined }
    | { readonly kind: 'node'; readonly node: string; readonly isThere: boolean }
    | { readonly kind: 'write'; readonly index: number; readonly gate: Gate | undefined; readonly landsInMs: number }
    | { readonly kind: 'remove'; readonly index: number }
    | { readonly kind: 'git'; readonly gate: Gate | undefined }
    | { readonly kind: 'api'; readonly act: 'restarts' | 'compacts' };
}

const nodes = ['n1', 'n2', 'n3'];
const gate = fc.constantFrom(...gates);
const server = fc.integer({ min: 1, max: 5 });
const process = fc.integer({ min: 0, max: 3 });
const index = fc.integer({ min: 0, max: 11 });
const just = <T>(value: T) => fc.constant(value);

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom(409, 410, 429, 500, 503).map((status) => ({ kind: 'refused', status }) as const),
  just({ kind: 'lost-answer' } as const),
  fc.integer({ min: 1, max: 12_000 }).map((ms) => ({ kind: 'late', ms }) as const),
);

const whats: fc.Arbitrary<Happening['what']> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: just('turn' as const), gate, desired: fc.constantFrom<Desired>('On', 'Off') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: just('pause' as const), gate, isPaused: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: just('waive' as const), gate, node: fc.constantFrom(...nodes) }) },
  { weight: 1, arbitrary: fc.record({ kind: just('define' as const), gate, isLonger: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: just('server' as const),
      server,
      act: fc.constantFrom('start', 'start', 'kill', 'stop', 'cut', 'heal'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: just('upgrade' as const), server, version: fc.constantFrom('0.1.0', '0.2.0') }),
  },
  { weight: 5, arbitrary: fc.record({ kind: just('fault' as const), server, fault: faults }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: just('lag' as const), server, lagMs: fc.constantFrom(0, 50, 1_000, 6_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: just('replay' as const), server }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: just('process' as const),
      process,
      act: fc.constantFrom('crash', 'restart', 'cut', 'heal', 'heal'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: just('pin' as const), process, gate, value: fc.constantFrom(true, false, undefined) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: just('node' as const), node: fc.constantFrom(...nodes), isThere: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: just('write' as const),
      index,
      gate: fc.constantFrom(undefined, ...gates),
      landsInMs: fc.constantFrom(0, 0, 100, 20_000, 55_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: just('remove' as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: just('git' as const), gate: fc.constantFrom(undefined, ...gates) }) },
  { weight: 2, arbitrary: fc.record({ kind: just('api' as const), act: fc.constantFrom('restarts', 'compacts') }) },
);

/** Any history of so many happenings. */
export function histories(length: number): fc.Arbitrary<readonly Happening[]> {
  const pauses = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(0, 0, 50, 500) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(20_000, 70_000) },
  );
  return fc.array(fc.record({ ms: pauses, what: whats }), { minLength: length, maxLength: length });
}

/** Runs a history, lets everything come to rest, and says what it broke. */
export async function brokenBy(history: readonly Happening[], options: ModelOptions = {}): Promise<readonly string[]> {
  const cluster = new ModelCluster(options);
  const invariants = new Invariants(cluster);
  cluster.startServer(1);
  await cluster.pass(2_000, 500);
  for (const each of gates) await cluster.edit(each, { mode: 'Dynamic', desired: 'Off', pace: { pageSize: 50 } });
  for (const { what, ms } of history) {
    await happen(cluster, what);
    await cluster.pass(ms);
    if (invariants.broken.length > 0) break;
  }
  if (invariants.broken.length === 0) await comeToRest(cluster, invariants);
  await cluster.stop();
  return invariants.broken;
}

async function happen(cluster: ModelCluster, what: Happening['what']): Promise<void> {
  switch (what.kind) {
    case 'turn':
      return cluster.edit(what.gate, { desired: what.desired });
    case 'pause':
      return cluster.edit(what.gate, { paused: what.isPaused });
    case 'waive':
      return cluster.edit(what.gate, { waivers: [waiverOf(cluster, what.node)] });
    case 'define':
      return cluster.define(what.gate, what.isLonger);
    case 'server':
      return actOnServer(cluster, what.server, what.act);
    case 'upgrade':
      cluster.stopServer(what.server);
      cluster.startServer(what.server, what.version);
      return;
    case 'fault':
      cluster.servers.get(what.server)?.transport.failNext(what.fault);
      return;
    case 'lag': {
      const transport = cluster.servers.get(what.server)?.transport;
      if (transport) transport.lagMs = what.lagMs;
      return;
    }
    case 'replay':
      cluster.servers.get(what.server)?.transport.replay();
      return;
    case 'process':
      return actOnProcess(cluster, what.process, what.act);
    case 'pin':
      cluster.processes[what.process]?.pin(what.gate, what.value);
      return;
    case 'node':
      if (!what.isThere) return cluster.removeNode(what.node);
      if (!cluster.nodes().includes(what.node)) cluster.addNode(what.node);
      return;
    case 'write':
      cluster.put(what.index, what.gate && fieldOf[what.gate], what.landsInMs);
      return;
    case 'remove':
      return cluster.remove(what.index);
    case 'git':
      cluster.reAdd(what.gate && fieldOf[what.gate]);
      return;
    case 'api':
      if (what.act === 'compacts') cluster.api.memory.compact();
      cluster.api.memory.endWatches();
  }
}

function actOnServer(cluster: ModelCluster, server: number, act: 'start' | 'kill' | 'stop' | 'cut' | 'heal'): void {
  const transport = cluster.servers.get(server)?.transport;
  if (act === 'start') cluster.startServer(server);
  if (act === 'kill') cluster.killServer(server);
  if (act === 'stop') cluster.stopServer(server);
  if (act === 'cut') transport?.cutOff();
  if (act === 'heal') transport?.healed();
}

function actOnProcess(cluster: ModelCluster, number: number, act: 'crash' | 'restart' | 'cut' | 'heal'): void {
  const process = cluster.processes[number];
  if (!process) return;
  if (act === 'crash') process.isAlive = false;
  if (act === 'restart') process.restart();
  if (act === 'cut') process.isCutOff = true;
  if (act === 'heal') process.isCutOff = false;
}

function waiverOf(cluster: ModelCluster, node: string) {
  const expires = new Date(cluster.clock.now() + 600_000).toISOString();
  return { id: `w-${node}`, node, reason: 'simulated trouble with this node', by: 'user', expires };
}

/** Faults stop: within two hours what is wanted comes true, and stays so. */
async function comeToRest(cluster: ModelCluster, invariants: Invariants): Promise<void> {
  cluster.reAdd(undefined);
  cluster.startServer(1);
  for (const { transport } of cluster.servers.values()) transport.healed();
  for (const node of nodes) if (!cluster.nodes().includes(node)) cluster.addNode(node);
  for (const process of cluster.processes) {
    process.isCutOff = false;
    if (!process.isAlive) process.restart();
    process.unpin();
  }
  await cluster.pass(60_000, 10_000);
  for (let widget = 0; widget < 12; widget++) if (cluster.widget(widget)?.spec?.held) await cluster.remove(widget);
  const wanted = new Map(
    gates.map((each) => [each, cluster.feature(each)?.spec.desired === 'On' ? 'On' : 'Off'] as const),
  );
  for (const each of gates) await cluster.edit(each, { paused: false });
  const isThere = () => gates.every((each) => cluster.feature(each)?.status?.state === wanted.get(each));
  // What was under way to the API when faults stopped may still undo it once.
  for (let passedMs = 0, calm = 0; passedMs < 7_200_000 && calm < 4; passedMs += 20_000) {
    await cluster.pass(20_000, 10_000);
    calm = isThere() ? calm + 1 : 0;
  }
  for (const [each, state] of wanted) invariants.checkAtRest(each, state);
}
