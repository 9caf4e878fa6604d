import { Checkpoint } from '../allocation/checkpoint.js';
import type { NodeSpec } from '../node/node-object.js';
import type { ContainerTimes } from '../timeline/pod-timeline.js';

/** The containers of a pod, on a timeline that begins when the pod was admitted. */
interface ContainersOfPod {
  readonly admittedAtMs: number;
  readonly timeline: readonly ContainerTimes[];
}

/** The simulated machine under a kubelet: what it has, and what goes on there while its kubelet is away. */
export class Machine {
  /** What the kubelet keeps on its disk. */
  readonly checkpoint = new Checkpoint();
  /** What the containers of its pods do, by the pod's uid. */
  readonly containers = new Map<string, ContainersOfPod>();
  /** The images that it has. */
  readonly images = new Set<string>();
  readonly #onChanged = new Set<() => void>();
  #isShortOfMemory = false;
  #spec: NodeSpec;

  constructor(spec: NodeSpec) {
    this.#spec = spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  /** As it is now. */
  get spec(): NodeSpec {
    return this.#spec;
  }

  /** Cpus or memory are plugged in or pulled out while the machine runs. What is not named stays. */
  setCapacity(amounts: Readonly<Record<string, string>>): void {
    this.#spec = { ...this.#spec, capacity: { ...this.#spec.capacity, ...amounts } };
    for (const tell of this.#onChanged) tell();
  }

  /** Its kubelet serves its pages at a port. */
  listenAt(kubeletPort: number): void {
    this.#spec = { ...this.#spec, kubeletPort };
  }

  /** Whether its kubelet says that it is under memory pressure. */
  get isShortOfMemory(): boolean {
    return this.#isShortOfMemory;
  }

  set isShortOfMemory(value: boolean) {
    if (value === this.#isShortOfMemory) return;
    this.#isShortOfMemory = value;
    for (const tell of this.#onChanged) tell();
  }

  /** Has `tell` called each time something changed that the status of the node tells. */
  onChanged(tell: () => void): void {
    this.#onChanged.add(tell);
  }

  /** A pod is gone, and everything of it. */
  forget(uid: string): void {
    this.checkpoint.forget(uid);
    this.containers.delete(uid);
  }
}
