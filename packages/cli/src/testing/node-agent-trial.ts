import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '@slipway/devcluster';
import { createFeatureGate } from '@slipway/feature-gates';
import { FeatureUse, installFeatureCrds, installReporterRole } from '@slipway/features';
import { type Access, type Kube, type KubeObject, type Logger, type ResourceRef, sleep } from '@slipway/kube';
import { nodeAgent, type PullLimiterPort, type PullQueue } from '@slipway/node-agent';
import { agentAccount, nodeAgentManifests, pullCrds } from '@slipway/node-agent/install';
import { NodePullQueue, PullLimit } from '@slipway/node-agent/kinds';
import { ClusterObjects } from '../installation/cluster-objects.js';
import type { RightsTrial } from './missing-rights.js';

const node = 'n1';
/** The bearer token of `agentUser`. */
export const agentToken = 'agent';
/** The agent of node n1 to the API server. */
export const agentUser = {
  name: `system:serviceaccount:${agentAccount.namespace}:${agentAccount.name}`,
  groups: ['system:serviceaccounts', 'system:authenticated'],
  extra: { 'authentication.kubernetes.io/node-name': [node] },
};

/** Returns the roles of a node agent beside that of all reporters. */
export function nodeAgentRoles(): readonly KubeObject[] {
  return nodeAgentManifests().filter(
    ({ kind, metadata }) => kind.endsWith('Role') && metadata.name === agentAccount.name,
  );
}

/**
 * Prepares a cluster whose components serve pages and do not report, for trials of the agent of its node. Its work is to
 * report them, to apply a PullLimit, and to publish the queue of a pull limiter and its waiting pulls.
 * @param pass lets milliseconds of the time of the cluster pass
 */
export async function nodeAgentTrial(
  cluster: Cluster,
  pass: (ms: number) => Promise<void>,
  signal: AbortSignal,
): Promise<RightsTrial> {
  const admin = cluster.kube();
  await installFeatureCrds(admin, signal);
  await installReporterRole(admin, signal);
  const objects = await ClusterObjects.of(admin, signal);
  await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentAccount.namespace } });
  for (const object of [...pullCrds(), ...nodeAgentManifests(), mirrorPod]) await objects.apply(object);
  const pullsSocket = await servePullsPage(cluster);
  let limiter = new AlternatingLimiter();
  return {
    admin,
    pass,
    prepare: () => removeWork(admin),
    process(log: Logger) {
      limiter = new AlternatingLimiter();
      const headers = { authorization: `Bearer ${agentToken}` };
      const access: Access = { server: cluster.url, credentials: async () => ({ headers }) };
      const kube = cluster.kube(agentUser);
      return nodeAgent({ kube, access, node, ports: portsOf(cluster), pullsSocket, pullLimiter: limiter, log });
    },
    work: (until) => work(admin, () => limiter.limit, until),
    shown: async () => '',
  };
}

function work(admin: Kube, limit: () => number, signal: AbortSignal): Readonly<Record<string, Promise<void>>> {
  const until = async (isTrue: () => Promise<boolean>) => {
    while (!(await isTrue())) await sleep(admin.clock, 500, signal);
  };
  const isReported = async (component: string) => {
    const name = `${component}.${node}`;
    return (await admin.resource(FeatureUse).find({ namespace: 'kube-system', name }, signal)) !== undefined;
  };
  return {
    'reporting the kubelet': until(() => isReported('kubelet')),
    'reporting the control plane': until(
      async () => (await isReported('kube-scheduler')) && (await isReported('kube-controller-manager')),
    ),
    'limiting pulls': until(async () => limit() === 2),
    'publishing pulls': until(
      async () => (await admin.resource(NodePullQueue).find({ name: node }, signal)) !== undefined,
    ),
    // Events, twice the same: without them the rest is done, too.
    'looking at pulls': sleep(admin.clock, 25_000, signal),
  };
}

async function removeWork(admin: Kube): Promise<void> {
  for (const kind of [FeatureUse, NodePullQueue] as readonly ResourceRef[]) {
    for (const { metadata } of (await admin.resource(kind).list({})).items) {
      await admin.resource(kind).delete({ name: metadata.name ?? '', namespace: metadata.namespace });
    }
  }
  const apiVersion = 'pulls.slipway.dev/v1alpha1';
  const limit = { apiVersion, kind: 'PullLimit', metadata: { name: 'all' }, spec: { maxParallelImagePulling: 2 } };
  if (!(await admin.resource(PullLimit).find({ name: 'all' }))) await admin.resource(PullLimit).create(limit);
}

function portsOf({ componentPages }: Cluster): Readonly<Record<string, number>> {
  const pages = componentPages.filter(({ component }) => component !== 'kubelet');
  return Object.fromEntries(pages.map(({ component, url }) => [component, Number(new URL(url).port)]));
}

/** A pull limiter at which the same pull waits each second time that it is asked. */
class AlternatingLimiter implements PullLimiterPort {
  limit = 4;
  #asked = 0;

  async state(): Promise<PullQueue> {
    const pull = { id: 1, image: 'web:1', callers: 1, pods: ['default/web'], podUids: ['u1'], waitedMs: 12_000 };
    const waiting = this.#asked++ % 2 === 0 ? [pull] : [];
    const { limit } = this;
    return { limit, limitSource: 'cluster', counted: limit, paused: false, runtimeUp: true, running: [], waiting };
  }

  async setClusterLimit(limit: number): Promise<PullQueue> {
    this.limit = limit;
    return await this.state();
  }

  async withdrawClusterLimit(): Promise<PullQueue> {
    this.limit = 4;
    return await this.state();
  }
}

/** Serves the gates of a pull daemon until the cluster stops. Returns the path of the socket. */
async function servePullsPage(cluster: Cluster): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-rights-'));
  const gate = createFeatureGate({ component: 'slipway-pulls', version: '0.1' });
  gate.add({ ParallelImagePullLimit: [{ version: '0.1', stage: 'Beta', default: true }] });
  const server = createServer((_, response) => response.end(gate.metrics()));
  const path = join(folder, 'admin.sock');
  server.listen(path);
  await once(server, 'listening');
  cluster.beforeStop(async () => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return path;
}

/** The kubelet shows a static pod like this for the scheduler. */
const mirrorPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `kube-scheduler-${node}`, namespace: 'kube-system' },
  spec: { nodeName: node, containers: [{ name: 'kube-scheduler', image: 'kube-scheduler' }] },
};
