import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock/clock.js';
import type { Access } from './access.js';
import { tokenFile } from './token-file.js';

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Access from inside a pod with its service account; undefined when this process runs in none. */
export async function inClusterAccess(
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  folder = serviceAccountFolder,
): Promise<Access | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port) return undefined;
  const token = tokenFile(join(folder, 'token'), clock);
  const ca = await readFile(join(folder, 'ca.crt')).catch(() => undefined);
  if (!ca) return undefined;
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    credentials: async () => ({ ca, headers: { authorization: `Bearer ${await token()}` } }),
  };
}
