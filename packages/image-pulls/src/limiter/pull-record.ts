import type { RefusalReason } from './queue-state.js';

/** Something worth a log line or a counter. Times in milliseconds; never a credential. */
export type PullRecord =
  | {
      readonly what: 'started';
      readonly image: string;
      readonly registry: string;
      readonly lane: 'place' | 'present' | 'released';
      readonly callers: number;
      readonly waitedMs: number;
      readonly counted: number;
      readonly limit: number;
    }
  | { readonly what: 'joined'; readonly image: string }
  | { readonly what: 'waiting'; readonly image: string; readonly position: number; readonly limit: number }
  | {
      readonly what: 'ended';
      readonly image: string;
      readonly registry: string;
      /** The first characters of the key: tells pulls of one image with different credentials apart. */
      readonly key: string;
      readonly pods: readonly string[];
      readonly outcome: string;
      readonly callers: number;
      readonly waitedMs: number;
      readonly pulledMs: number;
      readonly counted: number;
      readonly limit: number;
    }
  | {
      readonly what: 'refused';
      readonly image: string;
      readonly reason: RefusalReason;
      readonly waitedMs: number;
      readonly podUid: string | undefined;
    }
  /** No byte came for so long. */
  | { readonly what: 'stalled'; readonly image: string; readonly registry: string; readonly idleMs: number }
  /** A tag that was verified beside the places has moved, and waits for a place. */
  | { readonly what: 'moved tag'; readonly image: string }
  | { readonly what: 'forced'; readonly image: string }
  | { readonly what: 'limit'; readonly from: number; readonly to: number; readonly source: string }
  | { readonly what: 'runtime'; readonly up: boolean };
