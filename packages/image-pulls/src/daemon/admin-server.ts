import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { metricContentType } from '@slipway/feature-gates/metrics';
import { ConfigurationError, limitOf } from '../config/configuration-section.js';
import { errorMessage } from '../cri/error-message.js';
import type { PullMetrics } from '../metrics/pull-metrics.js';
import type { RuntimeLimit } from './chosen-limit.js';
import type { PullDaemon } from './pull-daemon.js';

/** What the admin socket steers. */
export interface Steered {
  readonly daemon: PullDaemon;
  readonly metrics: PullMetrics;
  /** Sets the limit by hand. */
  limit(limit: RuntimeLimit): void;
  /** Sets the limit of the cluster, or withdraws it. @throws ConfigurationError */
  clusterLimit(limit: RuntimeLimit | undefined): void;
  bypass(on: boolean): void;
  reload(): void;
}

/** Creates the server of a running daemon's admin API: JSON over HTTP on the admin socket. */
export function adminServer(steered: Steered): Server {
  const { daemon, metrics } = steered;
  const commands: Readonly<Record<string, (body: Record<string, unknown>) => object | Promise<object>>> = {
    'GET /state': () => daemon.look(),
    'POST /limit': ({ limit, forMs }) => {
      steered.limit({ limit: limitOf(limit), ...(forMs !== undefined && { forMs: positive(forMs, 'forMs') }) });
      return daemon.look();
    },
    'POST /cluster-limit': ({ limit, forMs }) => {
      const isSet = limit !== undefined;
      steered.clusterLimit(isSet ? { limit: limitOf(limit), forMs: positive(forMs, 'forMs') } : undefined);
      return daemon.look();
    },
    'POST /pause': () => {
      daemon.setPaused(true);
      return daemon.look();
    },
    'POST /resume': () => {
      daemon.setPaused(false);
      return daemon.look();
    },
    'POST /drop': ({ image }) => {
      if (typeof image !== 'string') throw new ConfigurationError('name an image');
      return { dropped: daemon.drop(image) };
    },
    'POST /pods-gone': ({ uids }) => {
      if (!Array.isArray(uids) || !uids.every((uid) => typeof uid === 'string')) {
        throw new ConfigurationError('`uids` must be a list of strings');
      }
      return { dropped: daemon.podsGone(uids) };
    },
    'POST /bypass': ({ on }) => {
      if (typeof on !== 'boolean') throw new ConfigurationError('on is neither true nor false');
      steered.bypass(on);
      return daemon.look();
    },
    'POST /reload': () => {
      steered.reload();
      return daemon.look();
    },
  };
  return createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (servePage(request, response, daemon, metrics)) return;
    const command = commands[`${request.method} ${path}`];
    if (!command) {
      answer(response, 404, { error: `nothing is at ${request.method} ${path}` });
      return;
    }
    try {
      answer(response, 200, await command(await bodyOf(request)));
    } catch (error) {
      answer(response, error instanceof ConfigurationError ? 400 : 500, { error: errorMessage(error) });
    }
  });
}

/** Metrics and health and nothing else, for whoever may look but not touch. */
export function metricsServer(daemon: PullDaemon, metrics: PullMetrics): Server {
  return createServer((request, response) => {
    if (!servePage(request, response, daemon, metrics)) answer(response, 404, { error: 'not found' });
  });
}

function servePage(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  daemon: PullDaemon,
  metrics: PullMetrics,
): boolean {
  if (method !== 'GET') return false;
  if (url === '/metrics') {
    response.setHeader('content-type', metricContentType);
    response.end(metrics.page(daemon.state()));
  } else if (url === '/healthz') response.end('ok\n');
  else if (url === '/readyz') {
    const { runtimeUp } = daemon.state();
    response.statusCode = runtimeUp ? 200 : 503;
    response.end(runtimeUp ? 'ok\n' : 'the container runtime does not answer\n');
  } else return false;
  return true;
}

function positive(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new ConfigurationError(`${what} is ${JSON.stringify(value)}, and can be a number above 0`);
}

const largestBody = 64 << 10;

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > largestBody) throw new ConfigurationError('the request is too long');
    chunks.push(chunk as Buffer);
  }
  if (bytes === 0) return {};
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new ConfigurationError('the request must be a JSON object');
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(`${JSON.stringify(body)}\n`);
}
