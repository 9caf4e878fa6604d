import { type NodePull, nodeOfEvent, secondsText } from '@slipway/image-pulls/views';
import type { Clock } from '@slipway/kube';
import type { Feed } from './feed.js';
import { gatherUntil } from './gather.js';
import type { PullSources } from './pull-sources.js';
import { rowChanges } from './row-changes.js';
import { followSources, part, tableFeed } from './table-feed.js';

/** The pulls of a node in the table of nodes. */
export interface NodePullsLine {
  /** Name of the node. */
  readonly key: string;
  readonly pulling: number;
  readonly failing: number;
  /** Of the oldest pull that is under way. RFC 3339. */
  readonly since?: string;
  /** Pulls that ended, and how long they took on average, waiting included. */
  readonly ended: number;
  readonly meanMs: number;
  readonly mean: string;
}

/** All nodes whose kubelets told of pulls. */
export function nodesPullsFeed(sources: PullSources, clock: Clock): Feed {
  return tableFeed(
    {
      sources: [
        part(sources.events, (event) => [nodeOfEvent(event)]),
        part(sources.pods, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : [])),
      ],
      keys: () => sources.nodes(),
      row: (key) => lineOf(sources, key),
    },
    clock,
  );
}

function lineOf(sources: PullSources, key: string): NodePullsLine | undefined {
  if (sources.eventsOf(key).length === 0) return undefined;
  const waiting = sources.waiting(key);
  const under = waiting.filter(({ state }) => state === 'pulling');
  const { pulls } = sources.past(key);
  const meanMs =
    pulls.reduce((sum, { waitedMs, pulledMs }) => sum + waitedMs + pulledMs, 0) / Math.max(1, pulls.length);
  const [oldest] = under;
  return {
    key,
    pulling: under.length,
    failing: waiting.length - under.length,
    ...(oldest && { since: oldest.since }),
    ended: pulls.length,
    meanMs,
    mean: pulls.length === 0 ? '–' : secondsText(meanMs),
  };
}

const everyMs = 100;

/** The images that pods of one node wait for. */
export function nodePullsFeed(sources: PullSources, node: string, clock: Clock): Feed {
  return (send, signal) => {
    const changes = rowChanges<NodePull>();
    const flush = () => {
      if (!sources.isKnown) return false;
      const message = changes(sources.waiting(node));
      if (message) send(message);
      return true;
    };
    gatherUntil(signal, clock, everyMs, flush, (ask) => [
      followSources(sources.all as never, send, ask),
      sources.events.informer.onChange(ask),
      sources.pods.informer.onChange(({ object }) => {
        if (object.spec?.nodeName === node) ask();
      }),
    ]);
  };
}
