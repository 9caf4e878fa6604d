import { type Amounts, formatAmounts, type NodeSize, parseAmounts } from '@slipway/balloons';
import {
  amountLines,
  exactAmounts,
  lastInWords,
  type NodeNext,
  nextOfNode,
  type PartitionAccount,
  partitionAccount,
  takersOf,
  wantedInWords,
} from '@slipway/balloons/views';
import type { Clock } from '@slipway/kube';
import type { Feed } from './feed.js';
import { gatherUntil } from './gather.js';
import type { NodeSources } from './node-sources.js';
import { type NodeLine, nodeLine } from './nodes-feed.js';
import { followSources } from './table-feed.js';

/** Everything that the page of a node shows; without `line` there is no node of that name. */
export interface NodeDocument {
  readonly line?: NodeLine;
  readonly status?: NodeSize['status'];
  /** `Size 2 / 4Gi`: the size that is asked for. */
  readonly wanted?: string;
  /** Each amount to the last byte, with its meaning. */
  readonly amounts?: readonly { readonly name: string; readonly amounts: string; readonly meaning: string }[];
  readonly next?: NodeNext;
  /** The size now as quantities, to begin a change from. */
  readonly size?: { readonly cpu: string; readonly memory: string };
  readonly history?: readonly {
    readonly at: string;
    readonly words: string;
    /** Of the balloon, such as `2 / 4Gi`. */
    readonly from: string;
    readonly to: string;
    readonly message: string;
  }[];
  /** The pods that take most, at most twenty. */
  readonly takers?: readonly { readonly pod: string; readonly amounts: string; readonly owner: string }[];
  /** How the nodes of the machine share it. */
  readonly partition?: PartitionAccount;
  /** Other nodes of the same machine. */
  readonly neighbours?: readonly NodeLine[];
}

const everyMs = 100;
const maxTakers = 20;

/** One node. */
export function nodeFeed(sources: NodeSources, name: string, clock: Clock): Feed {
  return (send, signal) => {
    const flush = () => {
      if (!sources.isKnown) return false;
      send({ type: 'document', document: documentOf(sources, name) });
      return true;
    };
    sources.partitions.start();
    gatherUntil(signal, clock, everyMs, flush, (ask) => [
      followSources(sources.all as never, send, ask),
      sources.nodes.informer.onChange(ask),
      sources.sizes.informer.onChange(ask),
      sources.policies.informer.onChange(ask),
      sources.partitions.informer.onChange(ask),
      sources.pods.informer.onChange(({ object }) => {
        if (object.spec?.nodeName === name) ask();
      }),
    ]);
  };
}

function documentOf(sources: NodeSources, name: string): NodeDocument {
  const observed = sources.observed(name);
  if (!observed) return {};
  const { size, numbers } = observed;
  const line = nodeLine(observed);
  const { status } = size ?? {};
  const takers = takersOf(observed.pods);
  const partition = line.host === '' ? undefined : sources.partitionOf(line.host);
  const inText = <T extends { readonly amounts: Amounts }>(all: readonly T[]) =>
    all.map((one) => ({ ...one, amounts: exactAmounts(one.amounts) }));
  return {
    line,
    ...(size && { wanted: wantedInWords(size.spec) }),
    ...(status && { status }),
    amounts: inText(amountLines(observed)),
    size: formatAmounts(numbers.size),
    next: nextOfNode(observed, takers),
    history: (status?.history ?? []).map((each) => ({
      at: each.finishedAt,
      words: lastInWords(each),
      from: exactAmounts(parseAmounts(each.from)),
      to: exactAmounts(parseAmounts(each.to)),
      message: each.message,
    })),
    takers: inText(takers.slice(0, maxTakers)),
    ...(partition && { partition: partitionAccount(partition) }),
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
