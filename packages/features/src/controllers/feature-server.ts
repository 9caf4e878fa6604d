import {
  type Clock,
  Controller,
  type Kube,
  type KubeObject,
  keyOf,
  type Logger,
  Manager,
  type ObjectRef,
  type Runnable,
  type SpanRecorder,
  stderrLog,
} from '@slipway/kube';
import { Feature } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import { FeatureVector } from '../api/feature-vector.js';
import { serverNamespace } from '../api/group.js';
import type { DefinedFeature } from '../catalogue/define-feature.js';
import { isSameDefinition } from '../catalogue/same-definition.js';
import { builtInTasks, type LocalTasks, TaskCatalog } from '../catalogue/task-catalog.js';
import { keepGuards } from '../guards/keep-guards.js';
import { joinServers } from '../leadership/join-servers.js';
import { featureMetrics } from '../metrics/feature-metrics.js';
import { checkAuthors, trustAuthors } from '../rbac/check-authors.js';
import { rememberedAuthor } from '../rbac/own-author.js';
import type { InstallGuardOptions } from '../tasks/install-guard.js';
import type { Task } from '../tasks/task.js';
import { reportLimits } from '../uses/report-limits.js';
import { ObservedUses } from '../view/observe-uses.js';
import { ReportedVectors } from '../view/reported-vectors.js';
import { RoundClock } from '../view/round-clock.js';
import { announceDefined, announceReported } from './announce.js';
import { expireBackups } from './expire-backups.js';
import { keepDefinitions } from './keep-definitions.js';
import { transitionReconciler } from './transition.js';

export interface FeatureServerOptions {
  readonly kube: Kube;
  /** Name of this server among its peers, no two alike: for example its host name. */
  readonly identity: string;
  /** Namespace of the leases by which servers know each other. Default: slipway-system. */
  readonly namespace?: string;
  /** Its own version; while servers of several versions live, the newest decide. That of this package when absent. */
  readonly version?: string;
  /** The newest minor version of Kubernetes that it knows the gates of. The one its facts tell of when absent. */
  readonly catalogue?: string;
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
  /** Patterns of gates whose values may change while processes run, such as `*`: the operator's consent. None when absent. */
  readonly allowDynamic?: readonly string[];
  /**
   * `Check`: the server does only what those who wrote a definition and its Feature could do themselves, which takes
   * the admission policy that comes with `installFeatureCrds`. `Trust`: whoever may write one has all rights of this server,
   * for a cluster with a single user. `Check` when absent.
   */
  readonly authors?: 'Check' | 'Trust';
  /** Reports that are counted of each namespace outside of kube-system and slipway-system. 1,000 when absent. */
  readonly maxReports?: number;
  /** Features at work at the same time. 4 when absent. */
  readonly workers?: number;
  readonly log?: Logger;
  /** Receives transitions and their tasks as they end, as far as this server ends them. */
  readonly trace?: SpanRecorder | undefined;
  /** Numbers from 0 up to 1. */
  readonly random?: () => number;
}

/** Changes that come this close together are looked at once. */
const gatherMs = 20;
/** Of reports it is longer the more processes there are, so that counting them does not write more than they do. */
const gatherMsPerProcess = 0.2;
const mostGatherMs = 2_000;
const resyncMs = 600_000;

/** A feature server, which also tells what the features of its cluster are, as a Prometheus page. */
export interface FeatureServer extends Runnable {
  metrics(): string;
}

/**
 * The server flow of KEP-3920: announces every gate, counts who runs what, and
 * takes features from one state to the other. Runs in a Manager, or by itself.
 * Its CRDs must be installed, sooner or later: until then it waits.
 *
 * Any number of servers share one cluster: each leads some Features, and others take over when it is gone.
 */
export function featureServer(options: FeatureServerOptions): FeatureServer {
  const { identity, definitions: shipped = [], log = stderrLog, random = Math.random } = options;
  const clock = options.clock ?? options.kube.clock;
  const home = options.namespace ?? serverNamespace;
  const tasks = new TaskCatalog([
    ...builtInTasks({ verifyGapMs: options.verifyGapMs, guard: options.guard, local: options.localTasks }),
    ...shipped.flatMap((defined) => defined.tasks),
    ...(options.tasks ?? []),
  ]);
  const manager = new Manager({ kube: options.kube, log });
  const { informers } = manager;
  const { kube, leadership, lease } = joinServers({
    kube: options.kube,
    informers,
    log,
    name: identity,
    namespace: home,
    incarnation: incarnationOf(random),
    shipped: shipped.map(({ object }) => object),
    ...(options.version !== undefined && { version: options.version }),
    ...(options.catalogue !== undefined && { catalogue: options.catalogue }),
  });
  const features = informers.informer(Feature);
  const definitions = informers.informer(FeatureDefinition);
  const limits = reportLimits(options.maxReports);
  const vectors = new ReportedVectors({ kube, informers, log, limitOf: (namespace) => limits(namespace).vectors });
  const uses = new ObservedUses({
    informers,
    clock,
    log,
    vectors,
    maxReports: (namespace) => limits(namespace).reports,
  });
  const common = {
    kube,
    leadership,
    features: features.lister,
    definitions: definitions.lister,
    tasks,
    shipped: new Set(shipped.map(({ object }) => keyOf(object))),
  };
  const shippedSpecs = new Map(shipped.map(({ object }) => [keyOf(object), object.spec]));
  const self = rememberedAuthor(kube);
  const maxAnnounced = (namespace: string) => limits(namespace).features;
  const announcing = { ...common, vectors, self, maxAnnounced };

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
      authors:
        options.authors === 'Trust'
          ? trustAuthors
          : checkAuthors({ kube, self, isShipped: (definition) => isShipped(definition, shippedSpecs) }),
      uses,
      home,
      allowDynamic: options.allowDynamic ?? [],
      rounds: new RoundClock(() => clock.monotonicMs()),
      gatherMs: gatherReportsMs,
      trace: options.trace,
      random,
    }),
  });
  const announceVectors = new Controller({
    name: 'feature-announce',
    kube,
    informers,
    for: FeatureVector,
    options: vectors.options,
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

  function gatherReportsMs(namespace: string): number {
    return Math.max(gatherMs, Math.min(mostGatherMs, uses.processes(namespace) * gatherMsPerProcess));
  }
  function neighboursOf(namespace: string | undefined) {
    return features.lister
      .list({ ...(namespace !== undefined && { namespace }) })
      .map(({ metadata }) => refOf(metadata));
  }
  uses.onChange((namespace, change) => {
    const all = features.lister.list({ namespace });
    // A heartbeat only matters to those who wait for one.
    const concerned = change === 'values' ? all : all.filter(({ status }) => status?.transition);
    for (const { metadata } of concerned) transition.enqueue(refOf(metadata), gatherReportsMs(namespace));
  });
  features.onChange(({ type, object, previous }) => {
    const { namespace, name = '' } = object.metadata;
    // What was deleted is announced again while it is still reported or declared.
    if (type === 'deleted') {
      announceDefinitions.enqueue({ name, namespace });
      for (const ref of vectors.refs(namespace)) announceVectors.enqueue(ref);
    }
    // Others may wait for this one.
    if (type !== 'added' && previous?.status?.state !== object.status?.state) {
      for (const ref of neighboursOf(namespace)) if (ref.name !== name) transition.enqueue(ref, gatherMs);
    }
  });

  // One that is read later makes no event.
  vectors.onChange((ref) => announceVectors.enqueue(ref));
  leadership.onChange(() => {
    for (const { metadata } of definitions.lister.list()) announceDefinitions.enqueue(refOf(metadata));
    for (const ref of vectors.refs()) announceVectors.enqueue(ref);
    for (const { metadata } of features.lister.list()) transition.enqueue(refOf(metadata));
  });

  const definitionsKept = shipped.map(({ object }) => object);
  manager.add(lease);
  manager.add(keepDefinitions({ kube, leadership, definitions, shipped: definitionsKept, self, log }));
  manager.add(keepGuards({ kube, features, log }));
  manager.add(expireBackups({ kube, leadership, features, definitions, home, log }));
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
    async stop() {
      leadership.stop();
      await manager.stop();
      await lease.release();
    },
    ready: () => manager.ready(),
    metrics: () =>
      featureMetrics(features.lister.list(), leadership.servers(), {
        FeatureUse: uses.overLimit(),
        FeatureVector: vectors.overLimit(),
      }),
  };
}

function refOf({ name = '', namespace }: KubeObject['metadata']): ObjectRef {
  return { name, namespace };
}

function isShipped(definition: FeatureDefinition, shipped: ReadonlyMap<string, FeatureDefinitionSpec>): boolean {
  const spec = shipped.get(keyOf(definition));
  return spec !== undefined && isSameDefinition(spec, definition.spec);
}

function incarnationOf(random: () => number): string {
  return Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('');
}
