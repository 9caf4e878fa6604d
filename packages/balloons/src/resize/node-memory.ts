import type { NodeSize } from '../api/node-size.js';
import type { ResizeWork } from '../ticket/resize-work.js';
import { OwnWrites } from '../world/own-writes.js';
import type { Hold } from './hold.js';
import { ResizeSlots } from './resize-slots.js';

/** What is remembered of one node between two reconciliations. Losing it costs time and nothing else. */
export interface NodeMemory {
  /** The resize in progress. `status.resize` holds the part of it that the next leader needs. */
  readonly work?: ResizeWork | undefined;
  readonly hold?: Hold | undefined;
  /** Since when the node is closed until its balloon has its size; monotonic. */
  readonly closedSinceMs?: number | undefined;
  /** The new balloon pod that was given its size, as the cache may still show it until `untilMs`. */
  readonly sizedPod?: { readonly resourceVersion: string | undefined; readonly untilMs: number } | undefined;
  /** UID of the balloon pod whose memory the kubelet does not resize. */
  readonly stuckPodUID?: string | undefined;
  /** When its status was last written; monotonic. */
  readonly reportedAtMs?: number | undefined;
}

/** What is remembered of all nodes, by name. */
export class NodeMemories {
  readonly own = new OwnWrites<NodeSize>();
  readonly slots: ResizeSlots;
  readonly #nodes = new Map<string, NodeMemory>();

  /** `enqueue` reconciles a node that has been waiting for a slot. */
  constructor(enqueue: (node: string) => void) {
    this.slots = new ResizeSlots(enqueue);
  }

  of(node: string): NodeMemory {
    return this.#nodes.get(node) ?? {};
  }

  /** Changes the fields that are named. */
  update(node: string, change: NodeMemory): void {
    this.#nodes.set(node, { ...this.of(node), ...change });
  }

  /** The NodeSize of that name was deleted. */
  forget(node: string): void {
    this.#nodes.delete(node);
    this.slots.release(node);
  }
}
