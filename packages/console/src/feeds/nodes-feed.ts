import { type Amounts, balloonKeys, type NodeNumbers, type ObservedNode } from '@slipway/balloons';
import { rowOf, shortAmounts } from '@slipway/balloons/views';
import { type Clock, isConditionTrue } from '@slipway/kube';
import type { Feed } from './feed.js';
import type { NodeSources } from './node-sources.js';
import { part, tableFeed } from './table-feed.js';

/** Amounts as numbers that a bar is drawn of: cpu in thousandths of a core, memory in bytes. */
export interface Measure {
  readonly cpu: number;
  readonly memory: number;
}

/** A node in the table. */
export interface NodeLine {
  readonly key: string;
  readonly mode: string;
  readonly state: string;
  readonly last: string;
  readonly policy: string;
  /** The machine that it shares with others; empty where it shares none. */
  readonly host: string;
  /** Each amount in the words of `slipway node list`. */
  readonly words: Readonly<Record<keyof NodeNumbers, string>>;
  readonly measures: Readonly<Record<keyof NodeNumbers, Measure>>;
  readonly isWrong: boolean;
}

/** All nodes, as `slipway node list` shows them. */
export function nodesFeed(sources: NodeSources, clock: Clock): Feed {
  const named = ({ metadata }: { readonly metadata: { readonly name?: string } }) => [metadata.name ?? ''];
  const row = (key: string) => {
    const observed = sources.observed(key);
    return observed && nodeLine(observed);
  };
  return tableFeed(
    {
      sources: [
        part(sources.nodes, named),
        part(sources.sizes, named),
        part(sources.policies, () => sources.names()),
        part(sources.pods, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : [])),
      ],
      keys: () => sources.names(),
      row,
    },
    clock,
  );
}

/** Describes a node as every listing does. */
export function nodeLine(observed: ObservedNode): NodeLine {
  const { name, numbers, ...row } = rowOf(observed);
  const each = <T>(of: (amounts: Amounts) => T) =>
    Object.fromEntries(Object.entries(numbers).map(([part, amounts]) => [part, of(amounts as Amounts)])) as Record<
      keyof NodeNumbers,
      T
    >;
  return {
    key: name,
    ...row,
    host: observed.node.labels[balloonKeys.host] ?? '',
    words: each(shortAmounts),
    measures: each(({ cpu, memory }) => ({ cpu: Number(cpu), memory: Number(memory) })),
    isWrong: isConditionTrue(observed.size?.status?.conditions, 'Degraded'),
  };
}
