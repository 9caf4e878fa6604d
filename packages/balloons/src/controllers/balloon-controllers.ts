import { Controller, type Kube, keyOf, type Logger, Manager, type Runnable, stderrLog } from '@slipway/kube';
import type { Actuator } from '../actuators/actuator.js';
import { BalloonPolicy } from '../api/balloon-policy.js';
import { NodeSize } from '../api/node-size.js';
import type { EffectiveMode } from '../priority/priority-modes.js';
import { BalloonWorld } from './balloon-world.js';
import { choosePolicy } from './choose-policy.js';
import { policyReconciler } from './policy-reconciler.js';
import { readPolicy } from './policy-settings.js';
import { sizeReconciler } from './size-reconciler.js';

export interface BalloonControllersOptions {
  readonly kube: Kube;
  /** Where balloon pods live. `kube-system` when absent. */
  readonly namespace?: string;
  /** What the names in `actuatorRef` stand for; none when absent. */
  readonly actuators?: ReadonlyMap<string, Actuator>;
  /** Nodes that are resized at a time. 50 when absent. */
  readonly workers?: number;
  readonly log?: Logger;
  /** Numbers from 0 up to 1. */
  readonly random?: () => number;
}

/** Changes of one node that come this close together are looked at once. */
const gatherMs = 5;
/** Every node is looked at again this often, whatever was heard: a fence that was left behind must not stay. */
const resyncMs = 30_000;

/**
 * Resizes nodes by balloons (KEP-5620). Runs in a Manager, or by itself. Its CRDs must be
 * installed, sooner or later: until then it waits.
 */
export function balloonControllers(options: BalloonControllersOptions): Runnable {
  const { kube, namespace = 'kube-system', actuators = new Map(), log = stderrLog, random = Math.random } = options;
  const manager = new Manager({ kube, log });
  const { informers } = manager;
  const modes = new Map<string, EffectiveMode>();
  const world = new BalloonWorld(informers, namespace, (node) => sizes.enqueue({ name: node }, gatherMs));
  const { policies, nodes } = world;

  const sizes: Controller = new Controller({
    name: 'node-size',
    kube,
    informers,
    for: NodeSize,
    workers: options.workers ?? 50,
    resyncMs,
    log,
    reconcile: sizeReconciler({
      kube,
      world,
      actuators,
      random,
      policyOf: (node) => {
        const policy = choosePolicy(node, policies.lister.list());
        return policy && readPolicy(policy);
      },
      priorityMode: (policy) => modes.get(policy) ?? 'Polite',
      gateVerified: () => false,
    }),
  });
  const policy = new Controller({
    name: 'balloon-policy',
    kube,
    informers,
    for: BalloonPolicy,
    watches: [{ of: NodeSize, map: () => policies.lister.list().map(refOf) }],
    log,
    reconcile: policyReconciler({
      kube,
      policies: policies.lister,
      nodes: nodes.lister,
      sizes: world.sizes,
      namespace,
      decided: (name, mode) => modes.set(name, mode),
    }),
  });
  nodes.onChange(({ type, object, previous }) => {
    const isNews =
      type !== 'updated' || JSON.stringify(previous?.metadata.labels) !== JSON.stringify(object.metadata.labels);
    if (isNews) for (const each of policies.lister.list()) policy.enqueue(refOf(each), gatherMs);
  });
  policies.onChange(() => {
    for (const node of nodes.lister.list()) sizes.enqueue({ name: keyOf(node) }, gatherMs);
  });

  manager.add(policy);
  manager.add(sizes);
  return {
    name: 'balloon-controllers',
    async start(signal) {
      try {
        await manager.start();
      } catch (error) {
        // Stopped while it was still waiting for its first lists.
        if (!signal.aborted) throw error;
      }
    },
    stop: () => manager.stop(),
    ready: () => manager.ready(),
  };
}

function refOf({ metadata }: BalloonPolicy | { metadata: { name?: string } }) {
  return { name: metadata.name ?? '' };
}
