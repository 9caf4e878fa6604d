import { silentLog } from '@slipway/kube';
import { onTestFinished } from 'vitest';
import type { Cluster, ClusterOptions } from '../cluster.js';
import { startCluster } from '../start-cluster.js';

/** A cluster, of one node unless told otherwise, that is stopped when its test has ended. */
export async function aStartedCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await startCluster({ nodes: 1, log: silentLog, ...options });
  onTestFinished(() => cluster.stop());
  return cluster;
}
