import { once } from 'node:events';
import { createServer } from 'node:http';
import { metricContentType } from '@slipway/feature-gates/metrics';

/** Serves one page of metrics under /metrics until it is disposed. Rejects when the address is in use. */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  page: () => string,
): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    const isKnown = request.method === 'GET' && request.url === '/metrics';
    response.writeHead(isKnown ? 200 : 404, { 'content-type': metricContentType });
    response.end(isKnown ? page() : 'see /metrics\n');
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
