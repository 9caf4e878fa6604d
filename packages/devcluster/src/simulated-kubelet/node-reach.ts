import type { Pod } from '../kube-objects/kinds/api/pods.js';
import { PodDisk } from './exec/pod-disk.js';
import type { PortBackends } from './ports/container-port.js';
import { ContainerPorts } from './ports/container-ports.js';

/** Somebody who was attached to the program of a container had it exit. */
export interface ContainerExit {
  readonly nodeName: string;
  /** Of the pod. */
  readonly uid: string;
  readonly container: string;
  readonly code: number;
}

/**
 * What API servers reach of the simulated nodes, as they would through the kubelets: which of these answer, what
 * listens on the ports of containers, what was written in them, and how a program is told to exit. All of it is in memory.
 */
export class NodeReach {
  readonly ports: ContainerPorts;
  readonly #disks = new Map<string, PodDisk>();
  readonly #silent = new Set<string>();
  readonly #metrics = new Map<string, () => string>();
  readonly #onExit = new Set<(exit: ContainerExit) => void>();

  /** @param backends what listens on ports of containers; default: the simulation */
  constructor(backends?: PortBackends) {
    this.ports = new ContainerPorts(backends);
  }

  /** What the containers of a pod have written. */
  diskOf({ metadata: { uid = '' } }: Pod): PodDisk {
    const disk = this.#disks.get(uid) ?? new PodDisk();
    this.#disks.set(uid, disk);
    return disk;
  }

  /** Whether the kubelet of a node answers. */
  answers(nodeName: string): boolean {
    return !this.#silent.has(nodeName);
  }

  /** From now on the kubelet of a node answers, or does not. */
  setAnswering(nodeName: string, isAnswering: boolean): void {
    if (isAnswering) this.#silent.delete(nodeName);
    else this.#silent.add(nodeName);
  }

  /** What the kubelet of a node counts, in the Prometheus text format. */
  metricsOf(nodeName: string): string {
    return this.#metrics.get(nodeName)?.() ?? '';
  }

  /** From now on the kubelet of a node counts this. */
  setMetrics(nodeName: string, metrics: () => string): void {
    this.#metrics.set(nodeName, metrics);
  }

  exit(exit: ContainerExit): void {
    for (const tell of this.#onExit) tell(exit);
  }

  /** Has `tell` called each time a program was told to exit. */
  onExit(tell: (exit: ContainerExit) => void): void {
    this.#onExit.add(tell);
  }

  /** A pod is gone, and everything of it. */
  forget(uid: string): void {
    this.#disks.delete(uid);
  }
}
