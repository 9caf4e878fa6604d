import { once } from 'node:events';
import { startApiServer } from '@slipway/devcluster/start-api-server';
import { stderrLog } from '@slipway/kube';
import { readApiServerFlags } from './api-server-flags.js';

/**
 * Runs as kube-apiserver until `stopping` aborts, and resolves once it has stopped.
 * @param version Kubernetes version where the flags name none
 * @throws FlagError, ClusterStartError
 */
export async function serveApiServer(words: readonly string[], version: string, stopping: AbortSignal): Promise<void> {
  const { ignored, ...request } = readApiServerFlags(words);
  for (const flag of ignored) process.stderr.write(`kube-apiserver: --${flag} has no effect here\n`);
  const server = await startApiServer({ ...request, version: request.version ?? version, log: stderrLog });
  if (!stopping.aborted) await once(stopping, 'abort');
  await server.stop();
}
