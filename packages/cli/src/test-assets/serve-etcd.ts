import { once } from 'node:events';
import { createServer } from 'node:http';
import { FlagError, readGoFlags } from './go-flags.js';

/** Flags that an etcd for tests is started with. Those about data have no effect: the API server keeps it in memory. */
export const etcdFlags: ReadonlySet<string> = new Set([
  'advertise-client-urls',
  'auto-compaction-mode',
  'auto-compaction-retention',
  'data-dir',
  'initial-advertise-peer-urls',
  'initial-cluster',
  'initial-cluster-state',
  'initial-cluster-token',
  'listen-client-urls',
  'listen-metrics-urls',
  'listen-peer-urls',
  'log-level',
  'log-outputs',
  'logger',
  'max-request-bytes',
  'max-txn-ops',
  'name',
  'quota-backend-bytes',
  'snapshot-count',
  'unsafe-no-fsync',
]);

const elsewhere =
  'not found: the kube-apiserver beside this etcd keeps its objects in memory, and nothing is stored here\n';

/**
 * Answers `/health` at the client URLs until `stopping` aborts, as callers wait for before they start a kube-apiserver.
 * @throws FlagError
 */
export async function serveEtcd(words: readonly string[], stopping: AbortSignal): Promise<void> {
  const values = readGoFlags(words, (name) =>
    etcdFlags.has(name) ? (name === 'unsafe-no-fsync' ? 'switch' : 'value') : undefined,
  );
  const addresses = (values.get('listen-client-urls') ?? 'http://localhost:2379').split(',').map(addressOf);
  const servers = addresses.map(({ host, port }) =>
    createServer(({ url }, response) => {
      if (url === '/health')
        response.setHeader('content-type', 'application/json').end('{"health":"true","reason":""}');
      else response.writeHead(404).end(elsewhere);
    }).listen(port, host),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  if (!stopping.aborted) await once(stopping, 'abort');
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { protocol, hostname, port } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '', port: '' };
  if (protocol === 'http:' && port !== '') return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  throw new FlagError(`invalid --listen-client-urls ${JSON.stringify(url)}: must be http://HOST:PORT`);
}
