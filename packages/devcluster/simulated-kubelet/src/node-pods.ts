import { EventRecorder, type RecentWrites } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import { isFinished, isTerminating, type Pod } from '@slipway/kube-objects/kinds/api/pods';
import { amountsOfList } from '@slipway/kube-objects/rules/amounts';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { amountsAsked, askedBy, withAllocation } from './allocation/allocation.js';
import { reportedResources } from './allocation/checkpoint.js';
import { ContainerCommands } from './container-commands.js';
import { ContainerConfigs } from './container-configs.js';
import { MemoryPressure, type MemoryPressureOptions } from './eviction/memory-pressure.js';
import { ExecProbes, type ExecProbesOptions } from './exec-probes.js';
import type { NewPodPulls, PodPulls, PullingNode } from './images/pod-pulls.js';
import { hasBegun, waitingTimeline } from './images/waiting-timeline.js';
import { allocatableOf, forPods } from './node/node-capacity.js';
import { PodAddresses } from './node/pod-addresses.js';
import { NodeAdmission } from './node-admission.js';
import { PodClaims } from './pod-claims.js';
import { PodPrograms } from './pod-programs.js';
import { PodStatusWriter } from './pod-status-writer.js';
import { PodStops } from './pod-stops.js';
import { PodVolumes } from './pod-volumes.js';
import { type Resident, Residents, runningAt } from './pods/residents.js';
import { PodResizes } from './resize/pod-resizes.js';
import type { KubeletSettings } from './settings/kubelet-settings.js';
import type { SimulatedNodes } from './simulated-nodes.js';
import { simulationProblems } from './simulation-problems.js';
import { withChangedSpec } from './timeline/changed-spec.js';
import { nextMomentInMs } from './timeline/container-at.js';
import { containerEvents } from './timeline/container-events.js';
import { containerPart } from './timeline/container-part.js';
import type { ContainerTimes } from './timeline/pod-timeline.js';
import { asReported, interrupted } from './timeline/timeline-changes.js';
import { simulatedUsage } from './usage/simulated-usage.js';

/** Events to count up when they come again, and pods: a node has 110 of these. There are many nodes in one process. */
const remembers = 128;

export interface NodePodsOptions extends PullingNode {
  readonly nodeNumber: number;
  readonly profile: VersionProfile;
  readonly settings: KubeletSettings;
  readonly newPulls: NewPodPulls;
  readonly recent: RecentWrites<Pod>;
  readonly reach: SimulatedNodes;
  /** The node as it is now. */
  readonly node: () => Node;
  /** When to write an event. */
  readonly inTurn: (write: () => Promise<void>) => Promise<void>;
}

/** How soon devices that could not be prepared are tried again. */
const claimsRetryMs = 1_000;

/**
 * Runs the pods of one node: what a kubelet does for its pods.
 *
 * What is kept here can be had again from the machine and from the pods themselves, so that a
 * restart neither restarts a running pod nor admits one twice.
 */
export class NodePods {
  readonly #options: NodePodsOptions;
  readonly #events: EventRecorder;
  readonly #addresses: PodAddresses;
  readonly #residents: Residents;
  readonly #admission: NodeAdmission;
  readonly #resizes: PodResizes;
  readonly #statuses: PodStatusWriter;
  readonly #stops: PodStops;
  readonly #pulls: PodPulls;
  readonly #pressure: MemoryPressure;
  readonly #programs: PodPrograms;
  readonly #probes: ExecProbes;
  readonly #claims: PodClaims;
  readonly #volumes: PodVolumes;
  readonly #configs: ContainerConfigs;

  constructor(options: NodePodsOptions) {
    const { kube, machine, nodeNumber, delays, profile, recent, syncSoon, inTurn } = options;
    const tell: ExecProbesOptions['tell'] = (about, type, reason, message) =>
      void this.#events.event(about, type, reason, message);
    this.#options = options;
    this.#residents = new Residents(machine);
    this.#events = new EventRecorder(kube, { component: 'kubelet', host: machine.name, remembers, inTurn });
    this.#addresses = new PodAddresses(nodeNumber);
    this.#admission = new NodeAdmission({
      node: () => this.#node(),
      residents: this.#residents,
      profile,
      preempt: (victim) => this.#stops.preempt(victim),
    });
    this.#resizes = new PodResizes({
      checkpoint: machine.checkpoint,
      residents: this.#residents,
      clock: kube.clock,
      actuationMs: delays.resizeMs,
      policies: options.settings.policies,
      capacity: () => amountsOfList(forPods(machine.spec)),
      fit: (pod) => this.#admission.whyNot(pod, 'resize'),
      tell,
      syncSoon,
    });
    this.#pulls = options.newPulls(options, this.#events);
    const [residents, events, pulls] = [this.#residents, this.#events, this.#pulls];
    this.#statuses = new PodStatusWriter({
      kube,
      machine,
      nodeNumber,
      addresses: this.#addresses,
      profile,
      resizes: this.#resizes,
      pulls,
      recent,
    });
    const forget = (uid: string) => this.forget(uid);
    const commands = new ContainerCommands({ kube, nodes: options.reach });
    const statuses = this.#statuses;
    this.#stops = new PodStops({ kube, delays, residents, statuses, commands, events, syncSoon, forget });
    const evict: MemoryPressureOptions['evict'] = (victim, message) => this.#stops.evict(victim, message);
    this.#programs = new PodPrograms({ kube, nodes: options.reach, delays, syncSoon });
    this.#probes = new ExecProbes({ kube, commands, syncSoon, tell });
    this.#claims = new PodClaims({ kube, tell });
    this.#volumes = new PodVolumes({ kube, nodes: options.reach, node: options.node, profile, tell });
    this.#configs = new ContainerConfigs({ kube, nodes: options.reach, tell });
    this.#pressure = new MemoryPressure({ machine, residents, clock: kube.clock, evict });
  }

  /**
   * Takes up the pods that the machine ran when its kubelet was stopped, oldest first, each at the size that was
   * set aside for it; then looks at the resizes that wait.
   */
  begin(known: readonly Pod[]): void {
    const created = ({ metadata }: Pod) => metadata.creationTimestamp ?? '';
    const ours = known.filter((pod) => pod.status?.startTime && !isFinished(pod) && !isTerminating(pod));
    for (const pod of ours.sort((a, b) => (created(a) < created(b) ? -1 : 1))) this.#admitAgain(this.#resume(pod));
    this.#resizes.begin();
  }

  #admitAgain(resident: Resident): void {
    const { pod } = resident;
    const allocated = this.#options.machine.checkpoint.allocated(pod.metadata.uid ?? '') ?? askedBy(pod);
    const rejection = this.#admission.whyNot(withAllocation(pod, allocated), 'admit');
    if (!rejection) {
      this.#resizes.see(resident);
      return;
    }
    const { reason, message } = rejection;
    this.#events.event(pod, 'Warning', reason, message);
    this.#stops.stopByItself(resident, { reason, message: `Pod was rejected: ${message}` });
  }

  /**
   * Moves one pod of this node on as far as time allows.
   * @returns milliseconds until there is more to do; undefined when only a change of the pod can bring more.
   */
  async sync(pod: Pod, signal: AbortSignal): Promise<number | undefined> {
    const { uid = '' } = pod.metadata;
    const known = this.#residents.get(uid);
    if (known) known.pod = pod;
    if (isTerminating(pod)) {
      const ran = known ?? (pod.status?.startTime && !isFinished(pod) ? this.#resume(pod) : undefined);
      return this.#stops.terminate(pod, ran, signal);
    }
    if (isFinished(pod)) {
      this.forget(uid);
      return undefined;
    }
    const resident = known ?? (pod.status?.startTime ? this.#resume(pod) : await this.#admit(pod, signal));
    if (!resident) return undefined;
    if (!resident.ending) {
      if (resident.isMounted) this.#seeChanges(resident);
      this.#resizes.see(resident);
      this.#resizes.retry();
    }
    return resident.ending ? this.#stops.end(resident, resident.ending, signal) : this.#advance(resident, signal);
  }

  /** A pod is gone: what it took is free again. */
  forget(uid: string): void {
    if (!this.#residents.get(uid)) return;
    this.#residents.remove(uid);
    this.#addresses.release(uid);
    this.#resizes.forget(uid);
    this.#pulls.forget(uid);
    this.#probes.forget(uid);
    this.#volumes.forget(uid);
    this.#options.reach.programs.kill(uid);
    this.#options.machine.forget(uid);
    this.#resizes.retry();
  }

  /** The machine has more than before, or less. */
  capacityChanged(): void {
    this.#resizes.retry();
  }

  /** Leaves everything as it is. Waits until the events sent so far are written. */
  async stop(): Promise<void> {
    this.#resizes.stop();
    this.#pulls.stop();
    this.#pressure.stop();
    this.#probes.stop();
    await this.#events.flush();
  }

  /** The node as the API server has it, with what the machine really has. */
  #node(): Node {
    const node = this.#options.node();
    return { ...node, status: { ...node.status, allocatable: allocatableOf(this.#options.machine.spec) } };
  }

  async #admit(pod: Pod, signal: AbortSignal): Promise<Resident | undefined> {
    const { kube, machine } = this.#options;
    const rejection = this.#admission.whyNot(pod, 'admit');
    if (rejection) {
      this.#events.event(pod, 'Warning', rejection.reason, rejection.message);
      await this.#statuses.reject(pod, rejection, signal);
      return undefined;
    }
    const { uid = '' } = pod.metadata;
    machine.checkpoint.allocate(uid, askedBy(pod));
    machine.checkpoint.actuate(uid, askedBy(pod));
    for (const problem of simulationProblems(pod)) this.#events.event(pod, 'Warning', 'InvalidSimulation', problem);
    return this.#keep(pod, kube.clock.now(), -1, this.#pulls.timelineOf(pod));
  }

  /** Goes on with a pod that ran before this kubelet did. What it is past is not told again. */
  #resume(pod: Pod): Resident {
    const { kube, machine } = this.#options;
    const { startTime = '', podIP } = pod.status ?? {};
    const { uid = '' } = pod.metadata;
    if (podIP && !pod.spec.hostNetwork) this.#addresses.keep(uid, podIP);
    if (!machine.checkpoint.allocated(uid)) {
      const { allocated, actuated } = reportedResources(pod);
      machine.checkpoint.allocate(uid, allocated);
      machine.checkpoint.actuate(uid, actuated);
    }
    const known = machine.containers.get(uid);
    const admittedAtMs = known?.admittedAtMs ?? Date.parse(startTime);
    const elapsedMs = kube.clock.now() - admittedAtMs;
    const timeline = known?.timeline ?? asReported(this.#pulls.timelineOf(pod), pod, admittedAtMs, elapsedMs);
    return this.#keep(pod, admittedAtMs, elapsedMs, timeline);
  }

  #keep(pod: Pod, admittedAtMs: number, toldMs: number, timeline: readonly ContainerTimes[]): Resident {
    const { machine, delays } = this.#options;
    const { uid = '' } = pod.metadata;
    const given = withAllocation(pod, machine.checkpoint.allocated(uid) ?? askedBy(pod));
    const isMounted = hasBegun(pod) || !(this.#volumes.concern(pod) || this.#claims.concern(pod));
    const resident: Resident = {
      pod,
      isMounted,
      timeline: isMounted ? timeline : waitingTimeline(pod, delays),
      admittedAtMs,
      amounts: amountsAsked(given),
      toldMs,
      usedBytes: 0,
    };
    this.#residents.add(resident);
    return resident;
  }

  /** Containers may be added, and given other images, while the pod runs. */
  #seeChanges(resident: Resident): void {
    const { kube, delays } = this.#options;
    const { pod, admittedAtMs } = resident;
    const { timeline, restarted } = withChangedSpec(pod, resident.timeline, {
      fresh: () => this.#pulls.timelineOf(pod),
      images: () => this.#pulls.imagesOf(pod),
      delays,
      atMs: kube.clock.now() - admittedAtMs,
    });
    for (const name of restarted) {
      const message = `Container ${name} definition changed, will be restarted`;
      this.#events.event(containerPart(pod, name), 'Normal', 'Killing', message);
    }
    if (timeline !== resident.timeline) this.#residents.follow(resident, timeline);
  }

  async #advance(resident: Resident, signal: AbortSignal): Promise<number | undefined> {
    const { clock } = this.#options.kube;
    const deadlineInMs = deadlineOf(resident) - (clock.now() - resident.admittedAtMs);
    if (deadlineInMs <= 0) {
      const message = 'Pod was active on the node longer than the specified deadline';
      this.#events.event(resident.pod, 'Normal', 'DeadlineExceeded', message);
      this.#stops.stopByItself(resident, { reason: 'DeadlineExceeded', message });
      return undefined;
    }
    const volumesInMs = await this.#mount(resident);
    if (resident.ending || this.#residents.get(resident.pod.metadata.uid ?? '') !== resident) return undefined;
    if (resident.isMounted) return least([await this.#run(resident, signal), volumesInMs, deadlineInMs]);
    await this.#statuses.write(resident, clock.now() - resident.admittedAtMs, signal);
    return least([volumesInMs, deadlineInMs]);
  }

  /** Mounts the volumes of a pod that are due; a pod that has all of them begins. Returns when to look at them again. */
  async #mount(resident: Resident): Promise<number | undefined> {
    const { pod, isMounted } = resident;
    if (!isMounted && !(await this.#claims.prepare(pod))) return claimsRetryMs;
    if (isMounted && !this.#volumes.concern(pod)) return undefined;
    const mounting = isMounted ? await this.#volumes.refresh(pod) : await this.#volumes.mount(pod);
    const isHere = this.#residents.get(pod.metadata.uid ?? '') === resident;
    if (mounting.isMounted && !isMounted && isHere) {
      this.#residents.begin(resident, this.#options.kube.clock.now(), this.#pulls.timelineOf(pod));
    }
    return mounting.againInMs;
  }

  async #run(resident: Resident, signal: AbortSignal): Promise<number | undefined> {
    const elapsedMs = this.#options.kube.clock.now() - resident.admittedAtMs;
    const ended = this.#programs.ended(resident);
    if (ended !== resident.timeline) this.#residents.follow(resident, ended);
    const resizeInMs = this.#actuate(resident, elapsedMs);
    const isChecked = this.#configs.concern(resident.pod);
    const heldInMs = isChecked ? await this.#checkConfigs(resident) : undefined;
    const pullInMs = this.#pull(resident, elapsedMs);
    if (isChecked) this.#configs.tell(resident, elapsedMs);
    if (this.#probe(resident, elapsedMs)) {
      // A sidecar that has started lets others have their images, and start.
      this.#pull(resident, elapsedMs);
      this.#probe(resident, elapsedMs);
    }
    this.#tell(resident, elapsedMs);
    const reported = await this.#statuses.write(resident, elapsedMs, signal);
    this.#programs.start(resident, reported, elapsedMs);
    this.#probes.begin(reported);
    this.#pressure.look(resident);
    const changesInMs = nextMomentInMs(resident.pod, resident.timeline, elapsedMs);
    return least([changesInMs, resizeInMs, pullInMs, heldInMs]);
  }

  /** Returns when to check the containers again. */
  async #checkConfigs(resident: Resident): Promise<number | undefined> {
    const { timeline, againInMs } = await this.#configs.check(resident);
    if (timeline !== resident.timeline) this.#residents.follow(resident, timeline);
    return againInMs;
  }

  /** Whether probes have found something new. */
  #probe(resident: Resident, elapsedMs: number): boolean {
    const probed = this.#probes.follow(resident, elapsedMs);
    if (probed === resident.timeline) return false;
    this.#residents.follow(resident, probed);
    return true;
  }

  #pull(resident: Resident, elapsedMs: number): number | undefined {
    const { timeline, againInMs } = this.#pulls.pull(resident, elapsedMs);
    if (timeline !== resident.timeline) this.#residents.follow(resident, timeline);
    return againInMs;
  }

  #tell(resident: Resident, elapsedMs: number): void {
    const { pod, timeline, toldMs } = resident;
    const events = containerEvents(pod, timeline, toldMs, elapsedMs, this.#options.profile);
    for (const { container, type, reason, message } of events) {
      this.#events.event(containerPart(pod, container), type, reason, message);
    }
    resident.toldMs = Math.max(toldMs, elapsedMs);
  }

  #actuate(resident: Resident, elapsedMs: number): number | undefined {
    const { pod, timeline } = resident;
    const running = runningAt(resident, elapsedMs);
    const actuated = this.#options.machine.checkpoint.actuated(pod.metadata.uid ?? '');
    const { restarts, againInMs } = this.#resizes.actuate(
      resident,
      new Set(running),
      (container) => simulatedUsage(pod, container, actuated?.get(container) ?? {}).memoryBytes,
    );
    for (const name of restarts) {
      this.#events.event(containerPart(pod, name), 'Normal', 'Killing', `Container ${name} resize requires restart`);
    }
    if (restarts.length > 0) this.#residents.follow(resident, interrupted(timeline, restarts, elapsedMs));
    return againInMs;
  }
}

/** The first of some moments; undefined when none will come. */
function least(moments: readonly (number | undefined)[]): number | undefined {
  const first = Math.min(...moments.filter((inMs) => inMs !== undefined));
  return Number.isFinite(first) ? first : undefined;
}

/** When a pod has to be done, in milliseconds after it was admitted; Infinity when it may take its time. */
function deadlineOf({ pod: { spec } }: Resident): number {
  return spec.activeDeadlineSeconds === undefined ? Number.POSITIVE_INFINITY : spec.activeDeadlineSeconds * 1000;
}
