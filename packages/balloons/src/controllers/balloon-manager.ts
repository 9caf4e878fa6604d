import {
  Controller,
  type InformerFactory,
  type Kube,
  type KubeObject,
  type Logger,
  Manager,
  type Runnable,
  type SpanRecorder,
  sameJson,
} from '@slipway/kube';
import type { Actuator } from '../actuators/actuator.js';
import { BalloonPolicy } from '../api/balloon-policy.js';
import { NodeSize } from '../api/node-size.js';
import { Autosizer } from '../autosize/autosizer.js';
import { SizeAdvice } from '../autosize/size-advice.js';
import { type BalloonSwitch, nodeBalloonsGate } from '../gates/balloon-gate.js';
import type { BalloonMetrics } from '../metrics/balloon-metrics.js';
import { NodeUsage } from '../metrics/node-usage.js';
import { choosePolicy, rivalPolicy } from '../nodes/choose-policy.js';
import { partitionController } from '../partition/partition-controller.js';
import { DaemonSet } from '../pods/balloon-daemon-set.js';
import { policyReconciler } from '../policies/policy-reconciler.js';
import { sizeReconciler } from '../resize/size-reconciler.js';
import { readPolicy } from '../settings/policy-settings.js';
import { BalloonWorld } from '../world/balloon-world.js';
import { aborted } from './aborted.js';

/** The dependencies of the controllers. */
export interface ManagerSettings {
  readonly kube: Kube;
  readonly namespace: string;
  readonly actuators: ReadonlyMap<string, Actuator>;
  readonly log: Logger;
  readonly random: () => number;
  readonly metrics: BalloonMetrics | undefined;
  readonly trace: SpanRecorder | undefined;
  readonly gate: BalloonSwitch;
}

/** Maximum of nodes reconciled at a time; policies limit how many of them are resized. */
const workers = 200;
/** Changes of one node within this time are reconciled together. */
const gatherMs = 5;
/** Minimum time between two counts of a policy's nodes. */
const countAgainMs = 500;
/** Every node is reconciled at least this often, so that a fence which was left behind is removed. */
const resyncMs = 30_000;

/** Creates the manager of all controllers. */
export function balloonManager(settings: ManagerSettings): Manager {
  const { kube, namespace, log, gate } = settings;
  const manager = new Manager({ kube, log });
  const { informers } = manager;
  const changed = (node: string) => sizes.enqueue({ name: node }, gatherMs);
  const world = new BalloonWorld(informers, namespace, changed, () => gate.enabled(nodeBalloonsGate));
  const advice = new SizeAdvice(changed, (reason) => settings.metrics?.autosizeBlocked(reason));
  const sizes: Controller = sizeController(settings, { informers, world, advice }, (node) =>
    sizes.enqueue({ name: node }),
  );
  const policies = policyController(settings, informers, world);

  const countAll = (afterMs: number) => {
    for (const { metadata } of world.policies.lister.list()) policies.enqueue({ name: metadata.name ?? '' }, afterMs);
  };
  world.nodes.onChange(({ type, object, previous }) => {
    if (type !== 'updated' || !sameJson(previous?.metadata.labels, object.metadata.labels)) countAll(gatherMs);
  });
  informers.informer(NodeSize).onChange(() => countAll(countAgainMs));
  const lookAtAll = () => {
    for (const { metadata } of world.nodes.lister.list()) changed(metadata.name ?? '');
    countAll(countAgainMs);
  };
  world.policies.onChange(({ type, object, previous }) => {
    if (type !== 'updated' || !previous || !sameIntent(previous, object)) lookAtAll();
  });
  if (settings.metrics) manager.add(followedBy(settings.metrics, { informers, world, advice }, settings));
  manager.add(policies);
  manager.add(sizes);
  manager.add(partitionController({ kube, informers, log }));
  manager.add(new Autosizer({ kube, informers, world, advice, log }));
  manager.add(whenSwitched(gate, lookAtAll));
  return manager;
}

/** Whether the spec is unchanged. */
function sameIntent(before: BalloonPolicy, after: BalloonPolicy): boolean {
  return (
    before.metadata.generation === after.metadata.generation &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp
  );
}

/** Reconciles everything when the gate changes. */
function whenSwitched(gate: BalloonSwitch, lookAtAll: () => void): Runnable {
  return {
    name: 'balloon-gate',
    start: async (signal) => {
      const following = gate.subscribe(lookAtAll);
      await aborted(signal);
      following.close();
    },
  };
}

interface Seen {
  readonly informers: InformerFactory;
  readonly world: BalloonWorld;
  readonly advice: SizeAdvice;
}

/** Connects the metrics to their sources. Returns the task that polls actual usage. */
function followedBy(
  metrics: BalloonMetrics,
  { informers, world, advice }: Seen,
  { kube, namespace, log }: ManagerSettings,
): Runnable {
  const usage = new NodeUsage(kube, world, namespace, log);
  metrics.readFrom(world.sizes, advice, usage);
  informers.informer(NodeSize).onChange((change) => metrics.sizeChanged(change));
  world.shares.onChange((change) => metrics.podChanged(change));
  world.balloons.onChange((change) => metrics.balloonChanged(change));
  return usage;
}

function sizeController(
  settings: ManagerSettings,
  { informers, world, advice }: Seen,
  enqueue: (node: string) => void,
): Controller {
  const { kube, log, actuators, random, metrics, trace } = settings;
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
      enqueue,
      metrics,
      trace,
      policyOf: (node) => {
        const policy = choosePolicy(node, world.policyList());
        return policy && readPolicy(policy);
      },
      rivalOf: (node) => rivalPolicy(node, world.policyList()),
      recommendedFor: (node) => advice.for(node),
    }),
  });
}

function policyController(settings: ManagerSettings, informers: InformerFactory, world: BalloonWorld): Controller {
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
      policies: world,
      nodes: world.nodes.lister,
      sizes: world.sizes,
      daemonSets: informers.informer(DaemonSet, balloonSets).lister,
      namespace,
    }),
  });
}
