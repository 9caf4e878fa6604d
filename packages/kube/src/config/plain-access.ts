import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock/clock.js';
import type { Access, Credentials } from './access.js';
import type { ChosenContext, Entry } from './kubeconfig.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { tokenFile } from './token-file.js';

/**
 * Access by what stands in the kubeconfig itself: certificates, tokens, passwords.
 * Undefined when somebody else must be asked (credential plugins, providers) or
 * a proxy lies between: that is left to the official client.
 * @throws KubeconfigError
 */
export async function plainAccess({ cluster, user }: ChosenContext, clock: Clock): Promise<Access | undefined> {
  if (user.exec || user['auth-provider'] || cluster['proxy-url']) return undefined;
  const server = serverOf(cluster);
  const [ca, cert, key] = await Promise.all([
    dataOf(cluster, 'certificate-authority'),
    dataOf(user, 'client-certificate'),
    dataOf(user, 'client-key'),
  ]);
  const tls: Credentials = {
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(textOf(cluster, 'tls-server-name') ? { servername: textOf(cluster, 'tls-server-name') } : {}),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecure: true } : {}),
  };
  const impersonation = impersonationHeaders(user);
  const authorization = authorizationOf(user, clock);
  return {
    server,
    async credentials() {
      const value = await authorization();
      return { ...tls, headers: value ? { ...impersonation, authorization: value } : impersonation };
    },
  };
}

/** The address of a cluster entry. @throws KubeconfigError when there is none that can be used. */
export function serverOf(cluster: Entry): string {
  const server = textOf(cluster, 'server');
  if (!/^https?:\/\/[^/]/.test(server)) {
    throw new KubeconfigError(`the cluster of the kubeconfig has no usable server: ${JSON.stringify(server)}`);
  }
  return server.replace(/\/+$/, '');
}

function authorizationOf(user: Entry, clock: Clock): () => Promise<string | undefined> {
  const path = textOf(user, 'tokenFile');
  if (path) {
    const read = tokenFile(path, clock);
    return async () => `Bearer ${await read()}`;
  }
  const token = textOf(user, 'token');
  const username = textOf(user, 'username');
  const basic = Buffer.from(`${username}:${textOf(user, 'password')}`).toString('base64');
  const value = token ? `Bearer ${token}` : username ? `Basic ${basic}` : undefined;
  return async () => value;
}

function impersonationHeaders(user: Entry): Record<string, string | readonly string[]> {
  const groups = user['as-groups'];
  return {
    ...(textOf(user, 'as') ? { 'impersonate-user': textOf(user, 'as') } : {}),
    ...(textOf(user, 'as-uid') ? { 'impersonate-uid': textOf(user, 'as-uid') } : {}),
    ...(Array.isArray(groups) && groups.length > 0 ? { 'impersonate-group': groups.map(String) } : {}),
  };
}

/** What stands under `field-data` in base64, or in the file `field` names. Data wins, as in kubectl. */
async function dataOf(entry: Entry, field: string): Promise<Buffer | undefined> {
  const inline = textOf(entry, `${field}-data`);
  if (inline) return Buffer.from(inline, 'base64');
  const path = textOf(entry, field);
  if (!path) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw new KubeconfigError(`${field} of the kubeconfig cannot be read: ${path}`, { cause: error });
  }
}

function textOf(entry: Entry, field: string): string {
  const value = entry[field];
  return typeof value === 'string' ? value : '';
}
