import { behind, behindBlank, fenceAt, headingMark, isHeading, isItem, lineEnd, nextLine } from './mdtoc-marks.js';
import type { MdtocText } from './mdtoc-text.js';

/** What the items of a list pass on to each other. */
export interface ItemFlags {
  readonly kind: 'bullets' | 'numbers' | 'definitions';
  /** Once an item holds blocks, all after it do. */
  holdsBlocks: boolean;
  isTerm: boolean;
  isLast: boolean;
}

interface Item {
  /** The texts to read as blocks, with line numbers relative to the item. */
  readonly parts: readonly MdtocText[];
  readonly end: number;
}

/** Reads an item of a list at `at` as the reader of `mdtoc` does; undefined when none begins there. */
export function readItem(text: string, at: number, flags: ItemFlags): Item | undefined {
  const itemIndent = text[at] === '\t' ? 4 : indentOf(text, at, 3);
  const definition = behind('definition', text, at);
  const mark = behind('bullet', text, at) ?? behind('number', text, at) ?? definition;
  if (mark === undefined) {
    if (flags.kind !== 'definitions') return undefined;
    flags.isTerm = true;
  } else if (mark === definition) flags.isTerm = false;

  const raw = new RawItem();
  let from = mark ?? at;
  let line = 0;
  while (text[from] === ' ') from++;
  // The first line of a term is looked at like those after it, unless it is indented.
  if (from > at) {
    raw.add(text.slice(from, nextLine(text, from)), 0);
    from = nextLine(text, from);
    line = 1;
  }
  let isAfterBlank = false;
  for (; from < text.length; from = nextLine(text, from), line++) {
    if (behindBlank(text, from) !== undefined) {
      isAfterBlank = true;
      continue;
    }
    const end = nextLine(text, from);
    const indent = text[from] === '\t' ? 4 : indentOf(text, from, 4);
    const width = text[from] === '\t' ? 1 : indent;
    let chunk = text.slice(from + width, end);
    if (indent === 0 && fenceAt(chunk, 0)) {
      flags.isLast = true;
      break;
    }
    if (isItem(chunk, 0)) {
      if (width >= 4 && behind('definition', chunk, 0) === undefined)
        chunk = text.slice(from + width - indentOf(chunk, 0, chunk.length) - 1, end);
      if (indent <= itemIndent) {
        if (isOtherKind(chunk, flags)) flags.isLast = true;
        else if (isAfterBlank) flags.holdsBlocks = true;
        break;
      }
      if (isAfterBlank) flags.holdsBlocks = true;
      raw.beginSublist(behind('definition', chunk, 0) !== undefined);
    } else if (isHeading(chunk, 0)) {
      if (isAfterBlank && indent < 4) {
        flags.isLast = true;
        break;
      }
      flags.holdsBlocks = true;
    } else if (isAfterBlank && indent < 4) {
      flags.isLast = flags.isLast || flags.kind !== 'definitions' || endsDefinitions(text, end);
      break;
    } else if (isAfterBlank) {
      raw.add('\n', line);
      flags.holdsBlocks = true;
    }
    if (isAfterBlank) raw.add('\n', line);
    isAfterBlank = false;
    raw.add(chunk, line);
  }
  const holdsHeading = headingMark.test(text.slice(at, from));
  return { parts: holdsHeading ? raw.parts(flags.holdsBlocks && !flags.isTerm) : [], end: from };
}

/** Whether what follows the line that ends at `at` is not a definition of the list either. */
function endsDefinitions(text: string, at: number): boolean {
  if (at >= text.length - 1) return true;
  let next = lineEnd(text, at);
  while (next < text.length - 1 && text[next] === '\n') next++;
  return text[at] !== ':' && next < text.length - 1 && text[next] !== ':';
}

function isOtherKind(chunk: string, { kind }: ItemFlags): boolean {
  if (behind('definition', chunk, 0) !== undefined && kind !== 'definitions') return true;
  if (behind('number', chunk, 0) !== undefined && kind !== 'numbers') return true;
  return behind('bullet', chunk, 0) !== undefined && kind !== 'bullets';
}

function indentOf(text: string, at: number, most: number): number {
  let indent = 0;
  while (indent < most && text[at + indent] === ' ') indent++;
  return indent;
}

/** The text of an item, without its indentation. */
class RawItem {
  readonly #parts: string[] = [];
  readonly #lines: number[] = [];
  /** Index of the first part that belongs to a list within the item. */
  #sublist = 0;

  add(text: string, line: number): void {
    this.#parts.push(text);
    this.#lines.push(line);
  }

  /** A definition takes the line before it, its term, with it. */
  beginSublist(isDefinition: boolean): void {
    if (this.#sublist > 0) return;
    this.#sublist = isDefinition ? Math.max(0, this.#parts.length - 1) : this.#parts.length;
  }

  parts(holdsBlocks: boolean): MdtocText[] {
    const cut = this.#sublist;
    const ranges: readonly [number, number][] = holdsBlocks
      ? cut > 0
        ? [
            [0, cut],
            [cut, this.#parts.length],
          ]
        : [[0, this.#parts.length]]
      : cut > 0
        ? [[cut, this.#parts.length]]
        : [];
    return ranges.map(([from, to]) => ({
      text: this.#parts.slice(from, to).join(''),
      lines: this.#lines.slice(from, to),
    }));
  }
}
