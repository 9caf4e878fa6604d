import {
  type Amounts,
  formatAmounts,
  type NodeSize,
  type ObservedNode,
  parseAmounts,
  requestedBy,
} from '@slipway/balloons';
import { exactAmounts, lastInWords } from '@slipway/balloons/views';
import type { Clock } from '@slipway/kube';
import type { Feed } from './feed.js';
import { gather } from './gather.js';
import type { NodeSources } from './node-sources.js';
import { type NodeLine, nodeLine } from './nodes-feed.js';
import { followSources } from './table-feed.js';

/** Everything that the page of a node shows; without `line` there is no node of that name. */
export interface NodeDocument {
  readonly line?: NodeLine;
  readonly spec?: NodeSize['spec'];
  readonly status?: NodeSize['status'];
  /** Each amount to the last byte. */
  readonly exact?: Readonly<Record<string, string>>;
  /** The size now as quantities, to begin a change from. */
  readonly size?: { readonly cpu: string; readonly memory: string };
  readonly recommended?: string;
  readonly floor?: string;
  readonly history?: readonly { readonly at: string; readonly words: string; readonly message: string }[];
  /** The pods that take most, at most twenty. */
  readonly takers?: readonly { readonly pod: string; readonly amounts: string }[];
  /** Other nodes of the same machine. */
  readonly neighbours?: readonly NodeLine[];
}

const everyMs = 100;
const maxTakers = 20;

/** One node. */
export function nodeFeed(sources: NodeSources, name: string, clock: Clock): Feed {
  return (send, signal) => {
    const flushing = gather(clock, everyMs, () => {
      if (!signal.aborted && sources.isKnown) send({ type: 'document', document: documentOf(sources, name) });
    });
    const closing = [
      followSources(sources.all as never, send, flushing.ask),
      sources.nodes.informer.onChange(flushing.ask),
      sources.sizes.informer.onChange(flushing.ask),
      sources.policies.informer.onChange(flushing.ask),
      sources.pods.informer.onChange(({ object }) => {
        if (object.spec?.nodeName === name) flushing.ask();
      }),
    ];
    signal.addEventListener('abort', () => {
      for (const each of closing) each.close();
      flushing.cancel();
    });
  };
}

function documentOf(sources: NodeSources, name: string): NodeDocument {
  const observed = sources.observed(name);
  if (!observed) return {};
  const { size, numbers } = observed;
  const line = nodeLine(observed);
  const { status } = size ?? {};
  const told = (text: NonNullable<NodeSize['status']>['floor']) => text && exactAmounts(parseAmounts(text));
  const recommended = told(status?.recommended);
  const floor = told(status?.floor);
  return {
    line,
    ...(size && { spec: size.spec }),
    ...(status && { status }),
    exact: Object.fromEntries(
      Object.entries(numbers).map(([part, amounts]) => [part, exactAmounts(amounts as Amounts)]),
    ),
    size: formatAmounts(numbers.size),
    ...(recommended !== undefined && { recommended }),
    ...(floor !== undefined && { floor }),
    history: (status?.history ?? []).map((each) => ({
      at: each.finishedAt,
      words: lastInWords(each),
      message: each.message,
    })),
    takers: takersOf(observed.pods),
    neighbours: line.host === '' ? [] : neighboursOf(sources, line),
  };
}

function neighboursOf(sources: NodeSources, line: NodeLine): readonly NodeLine[] {
  return sources
    .names()
    .filter((name) => name !== line.key)
    .flatMap((name) => sources.observed(name) ?? [])
    .map(nodeLine)
    .filter(({ host }) => host === line.host);
}

function takersOf(pods: ObservedNode['pods']): NonNullable<NodeDocument['takers']> {
  return pods
    .map((pod) => ({ pod: `${pod.metadata.namespace}/${pod.metadata.name}`, takes: requestedBy(pod) }))
    .filter(({ takes }) => takes.cpu > 0n || takes.memory > 0n)
    .sort((a, b) => Number(b.takes.cpu - a.takes.cpu) || Number(b.takes.memory - a.takes.memory))
    .slice(0, maxTakers)
    .map(({ pod, takes }) => ({ pod, amounts: exactAmounts(takes) }));
}
