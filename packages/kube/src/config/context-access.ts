import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock/clock.js';
import type { Access, Credentials } from './access.js';
import { type ExecCluster, execPlugin, type PluginHost } from './exec-plugin.js';
import type { ChosenContext, Entry } from './kubeconfig.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { oidcToken } from './oidc-token.js';
import { tokenFile } from './token-file.js';

/**
 * Access with the sign-in method of a context. As in kubectl, a certificate, token or password in the kubeconfig
 * wins over a credential plugin.
 * @throws KubeconfigError
 */
export async function contextAccess(
  context: ChosenContext,
  clock: Clock,
  host: PluginHost = { environment: process.env, isTerminal: process.stdin.isTTY === true },
): Promise<Access> {
  const { cluster, user } = context;
  const server = serverOf(cluster);
  const [ca, cert, key] = await Promise.all([
    dataOf(cluster, 'certificate-authority'),
    dataOf(user, 'client-certificate'),
    dataOf(user, 'client-key'),
  ]);
  const proxy = proxyOf(cluster);
  const tls: Credentials = {
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(stringAt(cluster, 'tls-server-name') ? { servername: stringAt(cluster, 'tls-server-name') } : {}),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecure: true } : {}),
    ...(proxy ? { proxy } : {}),
  };
  const impersonation = impersonationHeaders(user);
  const withHeader = (authorization: string | undefined): Credentials => ({
    ...tls,
    headers: authorization ? { ...impersonation, authorization } : impersonation,
  });
  const authorization = authorizationOf(user, clock);
  if (authorization) return { server, credentials: async () => withHeader(await authorization()) };
  const isSignedIn = cert !== undefined && key !== undefined;
  if (user.exec && !isSignedIn) {
    const plugin = execPlugin(context, execClusterOf(server, tls), clock, host);
    return {
      server,
      async credentials() {
        const { token, cert, key } = await plugin.credential();
        return { ...withHeader(token && `Bearer ${token}`), ...(cert && key ? { cert, key } : {}) };
      },
      rejected: () => plugin.rejected(),
    };
  }
  if (user['auth-provider'] && !isSignedIn) {
    const token = oidcToken(context, clock);
    return { server, credentials: async () => withHeader(`Bearer ${token()}`) };
  }
  return { server, credentials: async () => withHeader(undefined) };
}

/** The address of a cluster entry. @throws KubeconfigError when there is none that can be used. */
function serverOf(cluster: Entry): string {
  const server = stringAt(cluster, 'server');
  if (!/^https?:\/\/[^/]/.test(server)) {
    throw new KubeconfigError(`the cluster of the kubeconfig has no usable server: ${JSON.stringify(server)}`);
  }
  return server.replace(/\/+$/, '');
}

/** The cluster entry as plugins are told of it. */
function execClusterOf(server: string, { ca, servername, insecure, proxy }: Credentials): ExecCluster {
  return {
    server,
    ...(servername ? { 'tls-server-name': servername } : {}),
    ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca ? { 'certificate-authority-data': Buffer.from(ca).toString('base64') } : {}),
    ...(proxy ? { 'proxy-url': proxy } : {}),
  };
}

function proxyOf(cluster: Entry): string {
  const proxy = stringAt(cluster, 'proxy-url');
  if (proxy && !/^(https?|socks5h?):\/\/[^/]/.test(proxy)) {
    throw new KubeconfigError(`the cluster of the kubeconfig has an unusable proxy-url: ${JSON.stringify(proxy)}`, {
      hint: 'write it as http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT',
    });
  }
  return proxy;
}

/** Reads the token or password of a user; undefined when the user has none. */
function authorizationOf(user: Entry, clock: Clock): (() => Promise<string>) | undefined {
  const path = stringAt(user, 'tokenFile');
  if (path) {
    const read = tokenFile(path, clock);
    return async () => `Bearer ${await read()}`;
  }
  const token = stringAt(user, 'token');
  const username = stringAt(user, 'username');
  const basic = Buffer.from(`${username}:${stringAt(user, 'password')}`).toString('base64');
  const value = token ? `Bearer ${token}` : username ? `Basic ${basic}` : undefined;
  return value === undefined ? undefined : async () => value;
}

function impersonationHeaders(user: Entry): Record<string, string | readonly string[]> {
  const groups = user['as-groups'];
  return {
    ...(stringAt(user, 'as') ? { 'impersonate-user': stringAt(user, 'as') } : {}),
    ...(stringAt(user, 'as-uid') ? { 'impersonate-uid': stringAt(user, 'as-uid') } : {}),
    ...(Array.isArray(groups) && groups.length > 0 ? { 'impersonate-group': groups.map(String) } : {}),
  };
}

/** What stands under `field-data` in base64, or in the file `field` names. Data wins, as in kubectl. */
async function dataOf(entry: Entry, field: string): Promise<Buffer | undefined> {
  const inline = stringAt(entry, `${field}-data`);
  if (inline) return Buffer.from(inline, 'base64');
  const path = stringAt(entry, field);
  if (!path) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw new KubeconfigError(`${field} of the kubeconfig cannot be read: ${path}`, { cause: error });
  }
}

function stringAt(entry: Entry, field: string): string {
  const value = entry[field];
  return typeof value === 'string' ? value : '';
}
