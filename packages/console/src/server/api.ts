import { Feature, ownAuthor } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import { featureFeed } from '../feeds/feature-feed.js';
import { featuresFeed } from '../feeds/features-feed.js';
import type { Feed } from '../feeds/feed.js';
import { kepFeed, kepsFeed } from '../feeds/kep-feeds.js';
import { Limiter, type LimiterAddress } from '../feeds/limiter.js';
import { limitersFeed, queueFeed } from '../feeds/limiter-feeds.js';
import { nodeFeed } from '../feeds/node-feed.js';
import { nodePullsFeed, nodesPullsFeed } from '../feeds/node-pulls-feeds.js';
import { NodeSources } from '../feeds/node-sources.js';
import { nodesFeed } from '../feeds/nodes-feed.js';
import { nowFeed } from '../feeds/now-feed.js';
import { problemOf } from '../feeds/problem.js';
import { type OpenProposals, Proposals } from '../feeds/proposals.js';
import { PullSources } from '../feeds/pull-sources.js';
import { ServerWatch } from '../feeds/server-watch.js';
import { Source } from '../feeds/source.js';
import { type ApiCall, CallError, type Calls, refOf, sendJson, textOf } from './calls.js';
import { featureCalls } from './feature-calls.js';
import { liveStream } from './live-stream.js';
import { nodeCalls } from './node-calls.js';
import { limiterOf, pullCalls } from './pull-calls.js';
import { upgradeCalls } from './upgrade-calls.js';

/** Answers the requests of signed-in pages. */
export interface ConsoleApi {
  answer(call: ApiCall): Promise<void>;
  close(): Promise<void>;
}

export interface ApiOptions {
  readonly kube: Kube;
  readonly cluster: string;
  readonly limiters: readonly LimiterAddress[];
  readonly openProposals?: OpenProposals | undefined;
}

/** The answers of the console: feeds of what is there, and what a person may do about it, all with the rights of `kube`. */
export function consoleApi({ kube, cluster, limiters: addresses, openProposals }: ApiOptions): ConsoleApi {
  const { clock } = kube;
  const features = new Source(kube, Feature);
  const nodes = new NodeSources(kube);
  const servers = new ServerWatch(kube, () => features.informer.lister.list());
  const pulls = new PullSources(kube, nodes);
  const proposals = new Proposals(openProposals, clock);
  const limiters = addresses.map((address) => new Limiter(address, clock));
  const closing = new AbortController();
  // The start page needs them, and a browser that signs in has yet to ask for it.
  features.start();
  nodes.sizes.start();
  const feeds: Readonly<Record<string, (call: ApiCall) => Feed>> = {
    'GET /api/live/now': () => nowFeed({ features, servers, nodes, limiters, proposals }, clock),
    'GET /api/live/features': () => featuresFeed(features, clock),
    'GET /api/live/feature': (call) => featureFeed(features, servers, refOf(call), clock),
    'GET /api/live/nodes': () => nodesFeed(nodes, clock),
    'GET /api/live/node': (call) => nodeFeed(nodes, textOf(call, 'name'), clock),
    'GET /api/live/limiters': () => limitersFeed(limiters),
    'GET /api/live/queue': (call) => queueFeed(limiterOf(limiters, call)),
    'GET /api/live/keps': () => kepsFeed(proposals),
    'GET /api/live/kep': (call) => kepFeed(proposals, features, textOf(call, 'page'), clock),
    'GET /api/live/pulls': () => nodesPullsFeed(pulls, clock),
    'GET /api/live/node-pulls': (call) => nodePullsFeed(pulls, textOf(call, 'name'), clock),
  };
  const calls: Calls = {
    'GET /api/about': async ({ response, signal }) => {
      const author = await ownAuthor(kube, signal).catch(() => undefined);
      sendJson(response, 200, { cluster, user: author?.username ?? '' });
    },
    ...featureCalls(kube),
    ...nodeCalls(kube, nodes),
    'GET /api/keps/boards': async ({ response }) => {
      sendJson(response, 200, { root: proposals.root, boards: proposals.boards });
    },
    ...pullCalls(pulls, limiters),
    ...upgradeCalls(kube),
  };
  return {
    async answer(call) {
      const { method, path, response, signal } = call;
      const name = `${method} ${path}`;
      try {
        const feed = Object.hasOwn(feeds, name) ? feeds[name]?.(call) : undefined;
        if (feed) return await liveStream(response, feed, clock, AbortSignal.any([signal, closing.signal]));
        const answer = Object.hasOwn(calls, name) ? calls[name] : undefined;
        if (!answer) return sendJson(response, 404, { error: 'this call does not exist' });
        await answer(call);
      } catch (error) {
        if (error instanceof CallError) return sendJson(response, 400, { error: error.message });
        sendJson(response, 200, { problem: problemOf(error) });
      }
    },
    async close() {
      closing.abort();
      await Promise.all([features.stop(), nodes.stop(), pulls.events.stop()]);
    },
  };
}
