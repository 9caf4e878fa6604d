import type { ServerResponse } from 'node:http';
import { Feature } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import { featureFeed } from '../feeds/feature-feed.js';
import { featuresFeed } from '../feeds/features-feed.js';
import type { Feed } from '../feeds/feed.js';
import { nowFeed } from '../feeds/now-feed.js';
import { ServerWatch } from '../feeds/server-watch.js';
import { Source } from '../feeds/source.js';
import { problemOf } from '../problem.js';
import { liveStream } from './live-stream.js';
import { safeJson } from './safe-json.js';
import { whoAmI } from './who-am-i.js';

/** A request of a signed-in page. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** What a POST carries. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
  /** Aborts when the console is closed. */
  readonly signal: AbortSignal;
}

/** Answers the requests of signed-in pages. */
export interface ConsoleApi {
  answer(call: ApiCall): Promise<void>;
  close(): Promise<void>;
}

/** The answers of the console: feeds of what is there, and what a person may do about it, all with the rights of `kube`. */
export function consoleApi({ kube, cluster }: { readonly kube: Kube; readonly cluster: string }): ConsoleApi {
  const { clock } = kube;
  const features = new Source(kube, Feature);
  const servers = new ServerWatch(kube, () => features.informer.lister.list());
  const feeds: Readonly<Record<string, (query: URLSearchParams) => Feed>> = {
    '/api/live/now': () => nowFeed(features, servers, clock),
    '/api/live/features': () => featuresFeed(features, clock),
    '/api/live/feature': (query) => featureFeed(features, servers, refOf(query), clock),
  };
  const reads: Readonly<Record<string, (call: ApiCall) => Promise<unknown>>> = {
    '/api/about': async ({ signal }) => ({ cluster, user: await whoAmI(kube, signal) }),
  };
  return {
    async answer(call) {
      const { method, path, query, response, signal } = call;
      const feed = method === 'GET' && Object.hasOwn(feeds, path) ? feeds[path] : undefined;
      if (feed) return await liveStream(response, feed(query), clock, signal);
      const read = method === 'GET' && Object.hasOwn(reads, path) ? reads[path] : undefined;
      if (!read) return sendJson(response, 404, { error: 'there is no such call' });
      try {
        sendJson(response, 200, await read(call));
      } catch (error) {
        sendJson(response, 502, { problem: problemOf(error) });
      }
    },
    async close() {
      await features.stop();
    },
  };
}

function refOf(query: URLSearchParams) {
  return { namespace: query.get('namespace') ?? '', name: query.get('name') ?? '' };
}

function sendJson(response: ServerResponse, status: number, document: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(safeJson(document));
}
