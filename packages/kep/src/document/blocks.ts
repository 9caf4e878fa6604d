import type { HeadingNames } from './heading-names.js';
import type { Span } from './lines.js';

/** What a line belongs to. */
export const lineKind = {
  blank: 0,
  text: 1,
  heading: 2,
  fence: 3,
  html: 4,
  code: 5,
  frontMatter: 6,
  quote: 7,
} as const;

/** A heading as it stands in the text. */
export interface HeadingBlock extends Span {
  readonly level: 1 | 2 | 3 | 4 | 5 | 6;
  /** What is between the marks, with its inline Markdown. */
  readonly source: string;
  readonly names: HeadingNames;
  readonly content: Span;
  readonly line: number;
  /** Last line of the heading; differs from `line` for underlined ones. */
  readonly lastLine: number;
  readonly form: 'atx' | 'underlined';
  /** Blanks before the mark. */
  readonly indent: number;
  readonly inList: boolean;
}

export interface FenceBlock extends Span {
  readonly line: number;
  readonly lastLine: number;
  readonly info: string;
  /** `escaped`: its list item ended before the fence did, so what follows became code or text by accident. */
  readonly ending: 'closed' | 'escaped' | 'unclosed';
}

/** A list item: where its mark and its content stand. */
export interface ItemBlock {
  readonly line: number;
  readonly indent: number;
  readonly content: number;
  readonly at: number;
}

/** An HTML comment. `malformed`: a directive that ends with something else than `-->`. */
export interface CommentBlock extends Span {
  readonly inline: boolean;
  readonly malformed: boolean;
}

export interface Blocks {
  readonly headings: readonly HeadingBlock[];
  readonly fences: readonly FenceBlock[];
  readonly items: readonly ItemBlock[];
  /** Comments that stand as blocks; inline ones are found in `runs`. */
  readonly comments: readonly CommentBlock[];
  /** Stretches of inline text and HTML that hold `<!--`. */
  readonly runs: readonly Span[];
  readonly kinds: Uint8Array;
  /** Start of a comment that never ends; it was read as text. */
  readonly unclosedComment: number | undefined;
  readonly unclosedFence: FenceBlock | undefined;
  /** Line of the first heading beyond `maxHeadings`; it and those after it were read as text. */
  readonly firstHeadingLeftOut: number | undefined;
}

/** No document has more headings than this; the largest proposal has about 300. Keeps broken files from using all memory. */
export const maxHeadings = 20_000;
