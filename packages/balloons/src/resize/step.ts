import type { NodeSizeStatus } from '../api/node-size.js';
import type { ResizeWork } from '../ticket/resize-work.js';
import type { NodeMemory } from './node-memory.js';

/**
 * What one step of a reconciliation does, in the order of the fields; an absent field does nothing. A crash between two
 * fields leaves at most a ticket in the status, from which the next leader goes on.
 */
export interface Step {
  /** 1. Image that a balloon pod which does not run yet is given. */
  readonly image?: string | undefined;
  /** 2. Removes our taints for which there is no reason any more: the fence, and `unsized` once the balloon has its size. */
  readonly open?: { readonly isSized: boolean };
  /** 3. Message of an event: another client resized the balloon. */
  readonly foreignResize?: string | undefined;
  /** 4. Status to store where it differs. The ticket of a resize is stored before anything is done to the pod. */
  readonly status?: NodeSizeStatus | undefined;
  /** 5. What to remember of the node; fields that are not named stay. */
  readonly remember?: NodeMemory;
  /** 6. The resize has ended, and another node may begin. */
  readonly releaseSlot?: boolean;
  /** 7. Taint that keeps new pods away, either until the balloon has its size or while it grows. */
  readonly close?: { readonly kind: 'unsized' } | Fence | undefined;
  /** 8. What is done then; the next step is made of how it went. */
  readonly next?: NextAction;
  /** 9. When the node is reconciled again even if nothing changes, in milliseconds. */
  readonly requeueAfterMs?: number | undefined;
}

interface Fence {
  readonly kind: 'fence';
  /** ID of the ticket. */
  readonly value: string;
  /** Since 1970. */
  readonly untilMs: number;
}

export type NextAction =
  /** The resize is taken as far as it goes without waiting. */
  | { readonly kind: 'advance'; readonly work: ResizeWork }
  /** The new pod gets its size and is handed to the scheduler. */
  | { readonly kind: 'size-new-pod' }
  | { readonly kind: 'remove-finalizer' };
