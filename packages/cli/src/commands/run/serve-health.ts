import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metricContentType } from '@slipway/feature-gates/metrics';
import { errorMessage } from '@slipway/kube';
import { CommandError, exit } from '../../runtime/exit.js';
import type { ListenAddress } from './listen-address.js';

/** What a process says of itself to who runs it. */
export interface Health {
  readonly isReady: () => boolean;
  readonly metrics: () => string;
}

/**
 * Serves /healthz, /readyz and /metrics over plain HTTP.
 * @throws CommandError (usage) when the address cannot be listened on
 */
export async function serveHealth(
  { host, port }: ListenAddress,
  { isReady, metrics }: Health,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const pages: Readonly<Record<string, () => [number, string]>> = {
    '/healthz': () => [200, 'ok\n'],
    '/readyz': () => (isReady() ? [200, 'ok\n'] : [503, 'not ready yet\n']),
    '/metrics': () => [200, metrics()],
  };
  const server = createServer((request, response) => {
    const page = pages[(request.url ?? '').split('?')[0] ?? ''];
    const [status, text] = page?.() ?? [404, 'see /healthz, /readyz and /metrics\n'];
    response.writeHead(status, { 'content-type': metricContentType }).end(text);
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const why = errorMessage(error);
    const hint = 'name another address with --listen, or port 0 for any';
    throw new CommandError(exit.usage, `cannot serve health pages at ${host}:${port}: ${why}`, hint, { cause: error });
  }
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
