import {
  type Clock,
  Controller,
  type Kube,
  keyOf,
  type Logger,
  Manager,
  type Runnable,
  stderrLog,
} from '@slipway/kube';
import { Feature } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { FeatureVector } from '../api/feature-vector.js';
import type { DefinedFeature } from '../catalogue/define-feature.js';
import { keepGuards } from '../guards/keep-guards.js';
import type { InstallGuardOptions } from '../tasks/install-guard.js';
import type { Task } from '../tasks/task.js';
import { builtInTasks, type LocalTasks, TaskCatalog } from '../tasks/task-catalog.js';
import { announceDefined, announceReported } from './announce.js';
import { identityLease } from './identity-lease.js';
import { keepDefinitions } from './keep-definitions.js';
import { ObservedUses } from './observe-uses.js';
import { RoundClock } from './round-clock.js';
import { transitionReconciler } from './transition.js';

export interface FeatureServerOptions {
  readonly kube: Kube;
  /** Name of this server among its peers, for example its host name. */
  readonly identity: string;
  /** Time; that of `kube` when absent. */
  readonly clock?: Clock;
  /** Definitions to be kept in the cluster, with their tasks. None when absent. */
  readonly definitions?: readonly DefinedFeature[];
  /** Kinds of tasks that definitions in the cluster may name, besides the built-in ones. */
  readonly tasks?: readonly Task[];
  /** Time between the two scans that must find nothing before a feature is Off. 5 s when absent. */
  readonly verifyGapMs?: number;
  /** Webhooks and jobs that definitions may call by name. */
  readonly localTasks?: LocalTasks;
  /** How the guards of features that are off come into force. */
  readonly guard?: InstallGuardOptions;
  /** Features at work at the same time. 4 when absent. */
  readonly workers?: number;
  readonly log?: Logger;
  /** Numbers from 0 up to 1. */
  readonly random?: () => number;
}

/** Reports that come this close together are counted once. */
const gatherMs = 20;
const resyncMs = 600_000;

/**
 * The server flow of KEP-3920: announces every gate, counts who runs what, and
 * takes features from one state to the other. Runs in a Manager, or by itself.
 * Its CRDs must be installed, sooner or later: until then it waits.
 *
 * Two servers on one cluster do each other no harm; they only do work twice.
 */
export function featureServer(options: FeatureServerOptions): Runnable {
  const { kube, identity, definitions: shipped = [], log = stderrLog, random = Math.random } = options;
  const clock = options.clock ?? kube.clock;
  const tasks = new TaskCatalog([
    ...builtInTasks({ verifyGapMs: options.verifyGapMs, guard: options.guard, local: options.localTasks }),
    ...shipped.flatMap((defined) => defined.tasks),
    ...(options.tasks ?? []),
  ]);
  const manager = new Manager({ kube, log });
  const { informers } = manager;
  const features = informers.informer(Feature);
  const definitions = informers.informer(FeatureDefinition);
  const vectors = informers.informer(FeatureVector);
  const uses = new ObservedUses({ informers, clock, log });
  const common = { kube, features: features.lister, definitions: definitions.lister, tasks };

  const announcing = {
    ...common,
    vectors: vectors.lister,
    shipped: new Set(shipped.map(({ object }) => keyOf(object))),
  };

  const transition = new Controller({
    name: 'feature-transition',
    kube,
    informers,
    for: Feature,
    watches: [{ of: FeatureDefinition, map: (definition) => neighboursOf(definition.metadata.namespace) }],
    workers: options.workers ?? 4,
    resyncMs,
    log,
    reconcile: transitionReconciler({
      ...common,
      uses,
      rounds: new RoundClock(() => clock.monotonicMs()),
      random,
    }),
  });
  const announceVectors = new Controller({
    name: 'feature-announce',
    kube,
    informers,
    for: FeatureVector,
    log,
    reconcile: announceReported(announcing),
  });
  const announceDefinitions = new Controller({
    name: 'feature-define',
    kube,
    informers,
    for: FeatureDefinition,
    log,
    reconcile: announceDefined(announcing),
  });

  function neighboursOf(namespace: string | undefined) {
    return features.lister
      .list({ ...(namespace !== undefined && { namespace }) })
      .map(({ metadata }) => ({ name: metadata.name ?? '', namespace: metadata.namespace }));
  }
  uses.onChange((namespace) => {
    for (const ref of neighboursOf(namespace)) transition.enqueue(ref, gatherMs);
  });
  features.onChange(({ type, object, previous }) => {
    const { namespace, name = '' } = object.metadata;
    // What was deleted is announced again while somebody still reports or declares it.
    if (type === 'deleted') {
      announceDefinitions.enqueue({ name, namespace });
      for (const vector of vectors.lister.list({ ...(namespace !== undefined && { namespace }) })) {
        announceVectors.enqueue({ name: vector.metadata.name ?? '', namespace: vector.metadata.namespace });
      }
    }
    // Others may wait for this one.
    if (type !== 'added' && previous?.status?.state !== object.status?.state) {
      for (const ref of neighboursOf(namespace)) if (ref.name !== name) transition.enqueue(ref, gatherMs);
    }
  });

  const definitionsKept = shipped.map(({ object }) => object);
  manager.add(keepDefinitions({ kube, definitions, shipped: definitionsKept, log }));
  manager.add(keepGuards({ kube, features, log }));
  manager.add(identityLease({ kube, log, identity, incarnation: incarnationOf(random) }));
  manager.add(announceDefinitions);
  manager.add(announceVectors);
  manager.add(transition);
  return {
    name: 'feature-server',
    async start(signal) {
      void uses.watchExpiry(signal);
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

function incarnationOf(random: () => number): string {
  return Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('');
}
