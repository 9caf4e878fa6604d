import type { RequestOptions } from 'node:https';
import type { Access, Credentials } from './access.js';
import type { ChosenContext } from './kubeconfig.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { serverOf } from './plain-access.js';

/**
 * Access through the official client, which knows credential plugins, providers
 * and proxies. The only file that touches it: it takes 350 ms and 120 MB to load,
 * so it is loaded for those who need it and nobody else.
 * @throws KubeconfigError when it cannot use the context.
 */
export async function clientNodeAccess(context: ChosenContext): Promise<Access> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  // YAML contains JSON, so this is a kubeconfig.
  config.loadFromString(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'chosen',
      contexts: [{ name: 'chosen', context: { cluster: 'chosen', user: 'chosen', namespace: context.namespace } }],
      clusters: [{ name: 'chosen', cluster: context.cluster }],
      users: [{ name: 'chosen', user: context.user }],
    }),
  );
  const isProxied = Boolean(context.cluster['proxy-url']);
  let proxy: RequestOptions['agent'];
  return {
    server: serverOf(context.cluster),
    async credentials() {
      const options: RequestOptions = {};
      try {
        await config.applyToHTTPSOptions(options);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new KubeconfigError(`no credentials for context "${context.name}": ${why}`, { cause: error });
      }
      // Each call makes a new agent; keeping the first keeps its connections.
      if (isProxied) proxy ??= options.agent;
      return credentialsOf(options, proxy);
    },
  };
}

function credentialsOf(options: RequestOptions, proxy: RequestOptions['agent']): Credentials {
  const { ca, cert, key, servername, rejectUnauthorized, auth } = options;
  const headers = { ...(options.headers as Record<string, string> | undefined) };
  if (auth) headers.authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
  const plain = (value: unknown) => (typeof value === 'string' || Buffer.isBuffer(value) ? value : undefined);
  const given = { ca: plain(ca), cert: plain(cert), key: plain(key), servername: servername || undefined };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(rejectUnauthorized === false ? { insecure: true } : {}),
    ...(proxy ? { agent: proxy as NonNullable<Credentials['agent']> } : {}),
    headers,
  };
}
