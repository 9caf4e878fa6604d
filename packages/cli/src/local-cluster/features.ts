import { hostname } from 'node:os';
import type { Cluster } from '@slipway/devcluster';
import {
  featureServer,
  findFeature,
  type InstallGuardOptions,
  imageVolume,
  installFeatureCrds,
  installReporterRole,
  type LocalTasks,
  maxUnavailableStatefulSet,
  openApiV3,
} from '@slipway/features/server';
import { Kube, sleep, systemClock } from '@slipway/kube';
import { sendSpans } from '../runtime/send-spans.js';
import { declarePullLimit } from './declare-pull-limit.js';
import { grantServerRights, keepDefinitionRights, serverUser } from './server-rights.js';

/** A cluster is up without its features too; after this time `up` does not wait for them. */
const announcedWithinMs = 15_000;

/** What of its features the operator of a local cluster decides. */
export interface LocalFeatures {
  /** Patterns of gates whose values may change while components run. */
  readonly allowDynamic: readonly string[];
  /** Webhooks, jobs and analyses that features may name. */
  readonly localTasks?: LocalTasks;
  /** How many feature servers share the work in this process; 1 when absent. */
  readonly servers?: number;
}

/**
 * The features of a local cluster: the kinds, the server flow, and the reports of the components. What is installed is
 * installed by the administrator; the servers then do with the rights that they have on any cluster.
 */
export async function startFeatures(
  cluster: Cluster,
  signal: AbortSignal,
  local: LocalFeatures = { allowDynamic: ['*'] },
): Promise<void> {
  const kube = cluster.kube();
  // The components of a local cluster take these from the API; a gate that none of them has is not declared.
  const definitions = [maxUnavailableStatefulSet, openApiV3, imageVolume].map((define) => define({ dynamic: 'Live' }));
  const { servers: count = 1, ...settings } = local;
  const asServer = cluster.kube(serverUser);
  const spans = await sendSpans({ service: 'slipway-feature-server', instance: hostname() });
  const servers = Array.from({ length: count }, (_, index) => {
    const identity = index === 0 ? hostname() : `${hostname()}-${index + 1}`;
    const guard = guardsOf(cluster);
    return featureServer({ kube: asServer, identity, definitions, guard, trace: spans?.record, ...settings });
  });
  const stopping = new AbortController();
  cluster.beforeStop(async () => {
    stopping.abort();
    await Promise.all(servers.map((server) => server.stop?.()));
    await spans?.[Symbol.asyncDispose]();
  });
  try {
    const either = AbortSignal.any([signal, stopping.signal]);
    await Promise.all([
      installFeatureCrds(kube, either),
      installReporterRole(kube, either),
      grantServerRights(kube, local.localTasks, either),
    ]);
    if (count > 0) await keepDefinitionRights(kube, stopping.signal);
    cluster.startReporting();
    await Promise.all(servers.map((server) => server.start(stopping.signal)));
    if (count > 0) void declarePullLimit(kube, stopping.signal);
    if (count > 0)
      await Promise.all(definitions.map(({ object }) => announced(kube, object.spec.gate, stopping.signal)));
  } catch (error) {
    if (!stopping.signal.aborted && !signal.aborted) throw error;
  }
}

/** A local API server admits and stores a write in one go, so nothing that a guard has not seen stays under way for long. */
const writesLastMs = 500;

function guardsOf({ servers, clock }: Cluster): InstallGuardOptions {
  const running = () => servers.filter(({ isRunning }) => isRunning);
  return {
    settleMs: writesLastMs,
    apiServers: () => running().map((server) => new Kube(server.transport(serverUser), { clock })),
  };
}

/** Who reads that the cluster is up may ask for its features at once; they are announced a moment later. */
async function announced(kube: Kube, gate: string, signal: AbortSignal): Promise<void> {
  const patientUntilMs = systemClock.monotonicMs() + announcedWithinMs;
  while (systemClock.monotonicMs() < patientUntilMs) {
    if (await findFeature(kube, gate, undefined, signal)) return;
    await sleep(systemClock, 50, signal);
  }
}
