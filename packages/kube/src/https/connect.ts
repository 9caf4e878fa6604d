import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { systemClock } from '../clock/clock.js';
import type { Access } from '../config/access.js';
import type { ConnectOptions } from '../config/connect-options.js';
import { contextAccess } from '../config/context-access.js';
import { inClusterAccess } from '../config/in-cluster.js';
import { chooseContext, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from '../config/kubeconfig.js';
import { KubeconfigError } from '../config/kubeconfig-error.js';
import type { Transport } from '../transport/transport.js';
import { httpsTransport } from './https-transport.js';

/** The transport a kubeconfig leads to, looked for where kubectl looks. @throws KubeconfigError */
export async function connectTransport(options: ConnectOptions): Promise<Transport> {
  const clock = options.clock ?? systemClock;
  const access = await findAccess(options);
  return httpsTransport(access, { clock, ...(options.userAgent ? { userAgent: options.userAgent } : {}) });
}

/**
 * Finds the endpoint and credentials of the cluster that the options name, for callers that reach what a `Kube` does
 * not: single replicas, pages of components. @throws KubeconfigError
 */
export async function findAccess(options: ConnectOptions): Promise<Access> {
  const clock = options.clock ?? systemClock;
  const config = await findKubeconfig(options.kubeconfig);
  if (!config) {
    const inCluster = await inClusterAccess(process.env, clock);
    if (inCluster) return inCluster;
    throw new KubeconfigError('there is no kubeconfig: neither KUBECONFIG nor ~/.kube/config names a cluster');
  }
  return await contextAccess(chooseContext(config, options.context), clock);
}

async function findKubeconfig(asked: string | undefined): Promise<Kubeconfig | undefined> {
  if (asked !== undefined) return parseKubeconfig(await read(asked), asked);
  const listed = (process.env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  const paths = listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')];
  // As kubectl has it, files of a list that do not exist are passed over.
  const files = await Promise.all(
    paths.map(async (path) => {
      const text = await read(path).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      return text === undefined ? undefined : await parseKubeconfig(text, path);
    }),
  );
  const found = files.filter((file) => file !== undefined);
  return found.length > 0 ? mergeKubeconfigs(found) : undefined;
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new KubeconfigError(`the kubeconfig ${path} cannot be read`, { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
