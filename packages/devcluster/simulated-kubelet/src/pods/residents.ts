import { InternPool } from '@slipway/api-machinery/json/intern-pool';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type Amounts, minus, plus } from '@slipway/kube-objects/rules/amounts';
import { collide, hostPortsOf } from '@slipway/kube-objects/rules/host-ports';
import { containerAt } from '../timeline/container-at.js';
import type { ContainerTimes } from '../timeline/pod-timeline.js';
import type { Machine } from './machine.js';
import type { Occupied } from './pod-admission.js';

/** A pod that its kubelet has admitted and that has not ended. */
export interface Resident {
  /** As it was seen last. */
  pod: Pod;
  /** When its timeline begins, in milliseconds since the epoch: it was admitted, or had its volumes. */
  admittedAtMs: number;
  /** Whether its volumes are there; nothing of it runs before. */
  isMounted: boolean;
  timeline: readonly ContainerTimes[];
  /** What is set aside for it; nothing once it has to go. */
  amounts: Amounts;
  /** Up to which moment of the timeline events were sent. */
  toldMs: number;
  /** Set once the kubelet stops it by itself. */
  ending?: Ending;
  /** Its containers are being stopped. */
  isStopping?: true;
  /** What its containers used of memory when it was looked at last. */
  usedBytes: number;
}

/** Why a kubelet stops a pod by itself, as its status will say. */
export interface Ending {
  readonly reason: string;
  readonly message: string;
  /** What the condition `DisruptionTarget` says, if others may want to replace the pod. */
  readonly disruption?: string;
}

const nothing: Amounts = new Map();

/** Containers of one template live alike. What never happens is null in the text, and nothing else is. */
const courses = new InternPool<ContainerTimes['course']>();
const probings = new InternPool<ContainerTimes['probing']>();

function withSharedParts(times: ContainerTimes): ContainerTimes {
  const course = courses.get(JSON.stringify(times.course), () => times.course);
  const probing = probings.get(JSON.stringify(times.probing), () => times.probing);
  return { ...times, course, probing };
}

/**
 * The pods of one node, and what they take of it.
 *
 * Invariant: `used` is the sum of what is set aside for the pods.
 */
export class Residents {
  readonly #machine: Machine;
  readonly #byUid = new Map<string, Resident>();
  #used: Amounts = nothing;
  #usedBytes = 0;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  get(uid: string): Resident | undefined {
    return this.#byUid.get(uid);
  }

  all(): readonly Resident[] {
    return [...this.#byUid.values()];
  }

  get used(): Amounts {
    return this.#used;
  }

  /** Memory that is used by all of them. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  add(resident: Resident): void {
    this.#byUid.set(uidOf(resident), resident);
    this.#used = plus(this.#used, resident.amounts);
    this.follow(resident, resident.timeline);
  }

  /** From now on the containers of a pod go this way, whether their kubelet is there or not. */
  follow(resident: Resident, timeline: readonly ContainerTimes[]): void {
    const { admittedAtMs } = resident;
    resident.timeline = timeline.map(withSharedParts);
    if (!resident.isMounted) return;
    this.#machine.containers.set(uidOf(resident), { admittedAtMs, timeline: resident.timeline });
  }

  /** A pod has its volumes: its timeline begins anew. */
  begin(resident: Resident, atMs: number, timeline: readonly ContainerTimes[]): void {
    resident.admittedAtMs = atMs;
    resident.isMounted = true;
    this.follow(resident, timeline);
  }

  /** The containers of a pod use so much memory now. */
  uses(resident: Resident, bytes: number): void {
    this.#usedBytes += bytes - resident.usedBytes;
    resident.usedBytes = bytes;
  }

  /** From now on so much is set aside for a pod. */
  setAside(resident: Resident, amounts: Amounts): void {
    this.#used = plus(minus(this.#used, resident.amounts), amounts);
    resident.amounts = amounts;
  }

  /** What a pod takes is free for others, though it is still there. */
  release(resident: Resident): void {
    this.setAside(resident, nothing);
    this.uses(resident, 0);
  }

  remove(uid: string): void {
    const resident = this.#byUid.get(uid);
    if (!resident) return;
    this.release(resident);
    this.#byUid.delete(uid);
  }

  /** What is on the node beside the pod with this uid. */
  beside(uid: string): Occupied {
    const own = this.#byUid.get(uid);
    const isOther = (each: Resident) => each !== own && each.amounts.size > 0;
    return {
      amounts: own ? minus(this.#used, own.amounts) : this.#used,
      hasPort: (port) =>
        this.all().some((each) => isOther(each) && hostPortsOf(each.pod).some((taken) => collide(taken, port))),
    };
  }
}

function uidOf({ pod }: Resident): string {
  return pod.metadata.uid ?? '';
}

/** When all containers of a pod will have stopped, in milliseconds since the epoch; Infinity while that is not known. */
export function stopsAtMs({ timeline, admittedAtMs }: Resident): number {
  return admittedAtMs + Math.max(...timeline.map(({ stoppedAtMs }) => stoppedAtMs));
}

/** The names of the containers that run, `elapsedMs` after the pod was admitted. */
export function runningAt({ timeline }: Resident, elapsedMs: number): readonly string[] {
  const running = timeline.filter((times) => containerAt(times, elapsedMs).state === 'running');
  return running.map(({ container }) => container.name);
}
