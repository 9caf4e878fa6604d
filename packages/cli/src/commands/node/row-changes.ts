import type { ObservedNode } from '@slipway/balloons';
import { rowOf } from '@slipway/balloons/views';
import { printableJson } from '@slipway/safe-yaml/printable';
import { Content } from '../../output/content.js';
import { renderRows } from '../../output/table.js';
import { nodeColumns, nodeDocument } from './node-rows.js';

/** `json`: a document a line. */
export type WatchFormat = 'table' | 'wide' | 'json';

/** What is printed while nodes are watched: a heading, and from then on the lines of nodes that are not as they were. */
export class RowChanges {
  readonly #format: WatchFormat;
  readonly #told = new Map<string, string>();

  constructor(format: WatchFormat) {
    this.#format = format;
  }

  since(nodes: readonly ObservedNode[]): string | Content {
    const { heading, lines } = this.#lines(nodes);
    const isFirst = this.#told.size === 0;
    const changed = nodes.flatMap(({ node }, at) => (this.#isNews(node.name, lines[at] ?? '') ? [lines[at]] : []));
    const text = [...(isFirst ? heading : []), ...changed].map((line) => `${line}\n`).join('');
    return this.#format === 'json' ? new Content(text) : text;
  }

  /** Columns become wider when another node needs it; that is not a change. */
  #isNews(node: string, line: string): boolean {
    const told = line.replace(/\s+/g, ' ');
    if (this.#told.get(node) === told) return false;
    this.#told.set(node, told);
    return true;
  }

  #lines(nodes: readonly ObservedNode[]): { readonly heading: readonly string[]; readonly lines: readonly string[] } {
    if (this.#format === 'json')
      return { heading: [], lines: nodes.map((node) => printableJson(JSON.stringify(nodeDocument(node)))) };
    const isWide = this.#format === 'wide';
    const [heading = '', ...lines] = renderRows(nodes.map(rowOf), nodeColumns(isWide), { wide: isWide });
    return { heading: [heading], lines };
  }
}
