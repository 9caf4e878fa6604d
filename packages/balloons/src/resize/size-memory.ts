import type { NodeSize } from '../api/node-size.js';
import type { ResizeWork } from '../ticket/resize-work.js';
import { OwnWrites } from '../world/own-writes.js';
import { HoldOff } from './hold-off.js';
import { ResizeSlots } from './resize-slots.js';

/** What is known of nodes from one look to the next, by their name. Losing it costs time and nothing else. */
export class SizeMemory {
  readonly own = new OwnWrites<NodeSize>();
  readonly works = new Map<string, ResizeWork>();
  readonly holds = new HoldOff();
  readonly slots: ResizeSlots;
  /** Since when nodes are closed until their balloon has its size. */
  readonly closed = new Map<string, number>();
  /** New balloon pods that were given their size, in a state that caches may show a little longer. */
  readonly sized = new Map<string, { readonly resourceVersion: string | undefined; readonly untilMs: number }>();
  /** The balloon pods of nodes, by their UID, whose memory the kubelet does not resize. */
  readonly stuck = new Map<string, string>();
  /** When something was last said about nodes. */
  readonly toldMs = new Map<string, number>();

  /** `again` has a node looked at whose turn to be resized has come. */
  constructor(again: (node: string) => void) {
    this.slots = new ResizeSlots(again);
  }

  /** The NodeSize of that name is no more. */
  forget(name: string): void {
    for (const known of [this.works, this.closed, this.sized, this.stuck, this.toldMs]) known.delete(name);
    this.slots.release(name);
  }
}
