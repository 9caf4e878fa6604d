import { hasReason, type Kube, LeaseKeeper, type Logger, ownerReference, sleep, type Timer } from '@slipway/kube';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { firstHeartbeatMs, heartbeatMs } from './node/heartbeat.js';
import { labelsOf, nodeObject, nodeStatus } from './node/node-object.js';
import type { Machine } from './pods/machine.js';

const statusMs = 5 * 60_000;
const retryMs = 1_000;

export interface NodePresenceOptions {
  readonly kube: Kube;
  readonly log: Logger;
  readonly machine: Machine;
  /** Counted from 0, among `fleetSize`. */
  readonly nodeNumber: number;
  readonly fleetSize: number;
  readonly kubeletVersion: string;
  /** The node object, if it is there. A node that was deleted stays away until its kubelet starts again. */
  readonly node: () => Node | undefined;
  /** Whether the API server is out of reach. */
  readonly isCutOff: () => boolean;
}

/**
 * Makes a node be there: registers it, says that it is ready, renews its lease each
 * 10 s or, in a large fleet, somewhat less often, and its status each 5 min, or at once when it is not what was said last. Registering a node that is there already brings
 * labels and capacity up to date and leaves the rest, such as cordons, alone.
 */
export class NodePresence {
  readonly #options: NodePresenceOptions;
  #stopping = new AbortController();
  #lease: LeaseKeeper | undefined;
  #statusDueMs = 0;
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: NodePresenceOptions) {
    this.#options = options;
  }

  /**
   * Registers and resolves once the node is Ready; tries until it works or `stop` is called.
   * When the API server is known to be out of reach it resolves at once and goes on trying.
   */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    const registered = this.#registerAndBeat(this.#stopping.signal);
    if (!this.#options.isCutOff()) await registered;
  }

  /** Says that the node is there now, not only at the next beat. */
  beatNow(): void {
    if (this.#lease) void this.#beating.catch(() => {}).then(() => this.#beatIn(0));
  }

  /** Says at once what the node has now. */
  capacityChanged(): void {
    this.#statusDueMs = 0;
    this.beatNow();
  }

  async #registerAndBeat(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const node = await this.#register(signal);
        this.#lease = this.#leaseOf(node);
        await this.#lease.renew(signal);
        this.#beatIn(firstHeartbeatMs(this.#options.fleetSize, this.#options.nodeNumber));
        return;
      } catch (error) {
        if (signal.aborted) return;
        const { log, machine, isCutOff } = this.#options;
        if (!isCutOff()) log.warn('a node could not register, trying again', { node: machine.name, error });
        await sleep(this.#options.kube.clock, retryMs, signal).catch(() => {});
      }
    }
  }

  /** Stops saying that the node is there. The node object stays. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the kubelet was stopped'));
    this.#timer?.cancel();
    this.#lease = undefined;
    await this.#beating.catch(() => {});
  }

  async #register(signal: AbortSignal): Promise<Node> {
    const { kube, machine, kubeletVersion } = this.#options;
    const { spec } = machine;
    const client = kube.resource(nodes);
    const nowMs = kube.clock.now();
    this.#statusDueMs = kube.clock.monotonicMs() + statusMs;
    try {
      const made = await client.create(nodeObject(spec, this.#options, kubeletVersion, nowMs), { signal });
      if (made.status?.conditions) return made;
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
    const ref = { name: spec.name };
    await client.mutate(
      ref,
      (node) => {
        node.metadata.labels = { ...node.metadata.labels, ...labelsOf(spec) };
      },
      { signal },
    );
    return this.#postStatus(signal);
  }

  #postStatus(signal: AbortSignal): Promise<Node> {
    const { kube, machine, nodeNumber, kubeletVersion } = this.#options;
    return kube.resource(nodes).mutate(
      { name: machine.name },
      (node) => {
        node.status = {
          ...node.status,
          ...nodeStatus(machine, nodeNumber, kubeletVersion, node.status, kube.clock.now()),
        };
      },
      { subresource: 'status', signal },
    );
  }

  #leaseOf(node: Node): LeaseKeeper {
    const { name } = this.#options.machine;
    const owner = ownerReference({ ...node, apiVersion: 'v1', kind: 'Node' });
    return new LeaseKeeper(this.#options.kube, {
      metadata: { name, namespace: 'kube-node-lease', ownerReferences: [owner] },
      holderIdentity: name,
      durationSeconds: 40,
    });
  }

  #beatIn(delayMs: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer?.cancel();
    this.#timer = this.#options.kube.clock.after(delayMs, () => {
      this.#beating = this.#beat().then((againInMs) => this.#beatIn(againInMs));
    });
  }

  /** @returns milliseconds until the next one. */
  async #beat(): Promise<number> {
    const { kube, log, machine, fleetSize } = this.#options;
    const { signal } = this.#stopping;
    const node = this.#options.node();
    if (!node) return heartbeatMs(fleetSize);
    try {
      await this.#lease?.renew(signal);
      if (isReady(node) && kube.clock.monotonicMs() < this.#statusDueMs) return heartbeatMs(fleetSize);
      await this.#postStatus(signal);
      this.#statusDueMs = kube.clock.monotonicMs() + statusMs;
      return heartbeatMs(fleetSize);
    } catch (error) {
      const isExpected = signal.aborted || this.#options.isCutOff() || hasReason(error, 'NotFound');
      if (isExpected) return heartbeatMs(fleetSize);
      log.warn('a node missed a beat', { node: machine.name, error });
      return retryMs;
    }
  }
}

/** Others may say that a node is not ready when they have not heard of it for long. */
function isReady({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}
