import {
  Controller,
  type InformerFactory,
  type Kube,
  type KubeObject,
  type Logger,
  Manager,
  type Runnable,
  sameJson,
  stderrLog,
} from '@slipway/kube';
import type { Actuator } from '../actuators/actuator.js';
import { BalloonPolicy } from '../api/balloon-policy.js';
import { NodeSize } from '../api/node-size.js';
import { Autosizer } from '../autosize/autosizer.js';
import type { BalloonMetrics } from '../metrics/balloon-metrics.js';
import { partitionController } from '../partition/partition-controller.js';
import { DaemonSet } from '../pods/balloon-daemon-set.js';
import { BalloonWorld } from './balloon-world.js';
import { choosePolicy } from './choose-policy.js';
import { type LeaderLease, lead } from './lead.js';
import { policyReconciler } from './policy-reconciler.js';
import { readPolicy } from './policy-settings.js';
import { sizeReconciler } from './size-reconciler.js';

export interface BalloonControllersOptions {
  readonly kube: Kube;
  /** Where balloon pods live. `kube-system` when absent. */
  readonly namespace?: string;
  /** What the names in `actuatorRef` stand for; none when absent. */
  readonly actuators?: ReadonlyMap<string, Actuator>;
  /** Told of everything that happens; nobody when absent. */
  readonly metrics?: BalloonMetrics;
  /** Who leads among several of us; absent where there is only one. */
  readonly lease?: Omit<LeaderLease, 'namespace'>;
  readonly log?: Logger;
  /** Numbers from 0 up to 1. */
  readonly random?: () => number;
}

type Settings = Required<Omit<BalloonControllersOptions, 'lease' | 'metrics'>> &
  Pick<BalloonControllersOptions, 'metrics'>;

/** Nodes looked at at a time; policies say how many of them are resized. */
const workers = 200;
/** Changes of one node that come this close together are looked at once. */
const gatherMs = 5;
/** Policies count their nodes no more often than this. */
const countAgainMs = 500;
/** Every node is looked at again this often, whatever was heard: a fence that was left behind must not stay. */
const resyncMs = 30_000;

/**
 * Resizes nodes by balloons (KEP-5620). Runs in a Manager, or by itself. Its CRDs must be
 * installed, sooner or later: until then it waits. With a lease it works only while it leads.
 */
export function balloonControllers(options: BalloonControllersOptions): Runnable {
  const { kube, namespace = 'kube-system', actuators = new Map(), log = stderrLog, random = Math.random } = options;
  const { metrics } = options;
  const settings: Settings = { kube, namespace, actuators, log, random, ...(metrics && { metrics }) };
  let running: Manager | undefined;
  const work = async (signal: AbortSignal) => {
    const manager = newManager(settings);
    running = manager;
    try {
      await manager.start();
      await aborted(signal);
    } catch (error) {
      // Stopped while it was still waiting for its first lists.
      if (!signal.aborted) throw error;
    } finally {
      await manager.stop();
    }
  };
  return {
    name: 'balloon-controllers',
    start: (signal) =>
      options.lease ? lead({ kube, lease: { namespace, ...options.lease }, log }, work, signal) : work(signal),
    ready: () => running?.ready() ?? false,
  };
}

function newManager(settings: Settings): Manager {
  const { kube, namespace, log } = settings;
  const manager = new Manager({ kube, log });
  const { informers } = manager;
  const world = new BalloonWorld(informers, namespace, (node) => sizes.enqueue({ name: node }, gatherMs));
  const sizes: Controller = sizeController(settings, informers, world, (node) => sizes.enqueue({ name: node }));
  const policies = policyController(settings, informers, world);

  const countAll = (afterMs: number) => {
    for (const { metadata } of world.policies.lister.list()) policies.enqueue({ name: metadata.name ?? '' }, afterMs);
  };
  world.nodes.onChange(({ type, object, previous }) => {
    if (type !== 'updated' || !sameJson(previous?.metadata.labels, object.metadata.labels)) countAll(gatherMs);
  });
  informers.informer(NodeSize).onChange(() => countAll(countAgainMs));
  world.policies.onChange(({ type, object, previous }) => {
    if (type === 'updated' && previous && sameIntent(previous, object)) return;
    for (const { metadata } of world.nodes.lister.list()) sizes.enqueue({ name: metadata.name ?? '' }, gatherMs);
    countAll(countAgainMs);
  });
  if (settings.metrics) followedBy(settings.metrics, informers, world);
  manager.add(policies);
  manager.add(sizes);
  manager.add(partitionController({ kube, informers, log }));
  manager.add(new Autosizer({ kube, informers, world, log }));
  return manager;
}

/** Whether only its status is another. */
function sameIntent(before: BalloonPolicy, after: BalloonPolicy): boolean {
  return (
    before.metadata.generation === after.metadata.generation &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp
  );
}

function followedBy(metrics: BalloonMetrics, informers: InformerFactory, world: BalloonWorld): void {
  metrics.readFrom(world.sizes);
  informers.informer(NodeSize).onChange((change) => metrics.sizeChanged(change));
  world.shares.onChange((change) => metrics.podChanged(change));
  world.balloons.onChange((change) => metrics.balloonChanged(change));
}

function sizeController(
  settings: Settings,
  informers: InformerFactory,
  world: BalloonWorld,
  again: (node: string) => void,
): Controller {
  const { kube, log, actuators, random } = settings;
  return new Controller({
    name: 'node-size',
    kube,
    informers,
    for: NodeSize,
    watches: world.needed.map((of) => ({ ...of, map: () => [] })),
    workers,
    resyncMs,
    log,
    reconcile: sizeReconciler({
      kube,
      world,
      actuators,
      random,
      again,
      policyOf: (node) => {
        const policy = choosePolicy(node, world.policies.lister.list());
        return policy && readPolicy(policy);
      },
    }),
  });
}

function policyController(settings: Settings, informers: InformerFactory, world: BalloonWorld): Controller {
  const { kube, log, namespace } = settings;
  const balloonSets = { namespace, labelSelector: 'app.kubernetes.io/name=slipway-balloon' };
  const policyOf = ({ metadata }: KubeObject) => [{ name: metadata.labels?.['app.kubernetes.io/instance'] ?? '' }];
  return new Controller({
    name: 'balloon-policy',
    kube,
    informers,
    for: BalloonPolicy,
    watches: [
      { of: DaemonSet, options: balloonSets, map: policyOf },
      { of: NodeSize, map: () => [] },
      ...world.needed.map((of) => ({ ...of, map: () => [] })),
    ],
    resyncMs,
    log,
    reconcile: policyReconciler({
      kube,
      policies: world.policies.lister,
      nodes: world.nodes.lister,
      sizes: world.sizes,
      daemonSets: informers.informer(DaemonSet, balloonSets).lister,
      namespace,
    }),
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
