import type { Problem } from './problem.js';

/** A message to a page, one JSON document a line. */
export type FeedMessage<Row = unknown> =
  /** Rows that are new or changed, and keys of rows that are gone. The first message has all rows. */
  | { readonly type: 'rows'; readonly set: readonly Row[]; readonly gone: readonly string[]; readonly isWhole: boolean }
  /** A document as it is now. */
  | { readonly type: 'document'; readonly document: unknown }
  /** Why nothing, or nothing newer, is shown; absent once that is over. */
  | { readonly type: 'problem'; readonly problem?: Problem }
  /** Nothing is new, and the process is there. */
  | { readonly type: 'beat' };

/** Something that pages follow: sends what there is, then what changes, until `signal` aborts. */
export type Feed = (send: (message: FeedMessage) => void, signal: AbortSignal) => void;
