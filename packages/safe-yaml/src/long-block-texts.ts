import { CST, isScalar, type Node } from 'yaml';

/** Texts with fewer characters are quick to read as they are. */
const longEnough = 64 * 1024;

/** What was taken out of a block text, and the line that stands in its place. */
interface Cut {
  readonly mark: string;
  readonly text: string;
}

/**
 * Block texts of many lines (`a: |`), of which the library makes objects for every line. Most of the lines become one in
 * the token before it reads them, and are put into the value that it makes. Places in the text stay what they are.
 */
export class LongBlockTexts {
  readonly #cuts = new Map<CST.Token, Cut>();

  /** Tokens of documents as the parser makes them, their long texts on fewer lines. */
  *joined(tokens: Iterable<CST.Token>): Generator<CST.Token, void> {
    for (const token of tokens) {
      if (token.type === 'document') {
        CST.visit(token, ({ start, sep = [], value }) => {
          // What a tag makes of a text depends on all of it.
          if (value?.type === 'block-scalar' && ![...start, ...sep].some(isTag)) this.#join(value);
        });
      }
      yield token;
    }
  }

  /** Gives a node the value that it has. Its document must keep the tokens that it was made of. */
  restore(node: Node | null): void {
    if (!isScalar(node) || !node.srcToken) return;
    const cut = this.#cuts.get(node.srcToken);
    if (cut) node.value = (node.value as string).split(cut.mark).join(cut.text);
  }

  #join(token: CST.BlockScalar): void {
    const { source, props } = token;
    if (source.length < longEnough || source.includes('\r')) return;
    const header = props.find(({ type }) => type === 'block-scalar-header');
    const [, style] = /^([|>])[-+]?$/.exec(header && 'source' in header ? header.source : '') ?? [];
    const [, indent = ''] = /^( +)[^ \t\n]/.exec(source) ?? [];
    if (style === undefined || indent === '') return;
    const start = source.indexOf('\n') + 1;
    const end = endOfEvenLines(source, start, indent, style === '|');
    if (end - start < longEnough / 2) return;
    // As long as what it stands for, since the library counts on from the lengths of tokens.
    const mark = '~'.repeat(end - start - indent.length - 1);
    if (source.includes(mark)) return;
    const lines = source.slice(start + indent.length, end - 1);
    this.#cuts.set(token, { mark, text: lines.replaceAll(`\n${indent}`, style === '|' ? '\n' : ' ') });
    token.source = `${source.slice(0, start)}${indent}${mark}\n${source.slice(end)}`;
  }
}

const isTag = ({ type }: CST.SourceToken) => type === 'tag';

/** Where the lines end that hold something behind the indentation of all of them; further in only where that means nothing. */
function endOfEvenLines(source: string, start: number, indent: string, mayBeDeeper: boolean): number {
  let at = start;
  for (;;) {
    const end = source.indexOf('\n', at);
    if (end < 0 || !source.startsWith(indent, at)) return at;
    let first = at + indent.length;
    if (mayBeDeeper) while (source[first] === ' ') first += 1;
    if (first >= end || source[first] === ' ' || source[first] === '\t') return at;
    at = end + 1;
  }
}
