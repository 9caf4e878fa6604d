import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, sleep } from '@slipway/kube';
import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { exitStatus } from '@slipway/kube-objects/node-connection/exit-status';
import type {
  CommandRequest,
  LoggedRun,
  LogLine,
  NodeConnection,
  RunningContainer,
} from '@slipway/kube-objects/node-connection/node-connection';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import type { ContainerView } from './exec/container-view.js';
import { PodDisk } from './exec/pod-disk.js';
import { loggedRun } from './logs/logged-run.js';
import { type ProgramRun, ProgramRuns } from './logs/program-runs.js';
import { simulatedLog } from './logs/simulated-log.js';
import type { PortBackends } from './ports/container-port.js';
import { ContainerPorts } from './ports/container-ports.js';
import type { PodNetwork, PodRequest } from './ports/pod-network.js';
import type { ServerContext } from './ports/test-servers.js';
import { resourceMetrics, statsSummary } from './usage/usage-pages.js';

/** How often it is looked whether a program has begun: a kubelet says that a container runs right before that. */
const [lookMs, maxLooks] = [50, 40];

/**
 * Answers API servers for the simulated nodes: which kubelets answer, what listens on the ports of containers, what was
 * written in them, and what they run. All of it is in memory.
 */
export class SimulatedNodes implements NodeConnection, PodNetwork {
  /** What containers run. */
  readonly programs = new ProgramRuns();
  readonly #clock: Clock;
  readonly #ports: ContainerPorts;
  readonly #disks = new Map<string, PodDisk>();
  readonly #silent = new Set<string>();
  readonly #metrics = new Map<string, () => string>();
  readonly #received = new WeakMap<ProgramRun, Map<string, number>>();
  #podAt: (address: string) => Pod | undefined = () => undefined;

  /** @param backends what listens on ports of containers; default: the simulation */
  constructor({ clock, backends }: { readonly clock: Clock; readonly backends?: PortBackends | undefined }) {
    this.#clock = clock;
    this.#ports = new ContainerPorts((pod, container) => this.#contextOf(pod, container), backends);
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

  resourceMetrics(pods: readonly Pod[]): string {
    return resourceMetrics(pods, this.#clock.now());
  }

  statsSummary(nodeName: string, pods: readonly Pod[]): object {
    return statsSummary(nodeName, pods, this.#clock.now());
  }

  loggedRun(pod: Pod, container: string, previous: boolean): LoggedRun | string {
    return loggedRun(pod, container, previous);
  }

  logOf(pod: Pod, run: LoggedRun, fromMs: number): Iterable<LogLine> {
    const written = this.programs.linesOf(pod.metadata.uid ?? '', run, fromMs, this.#clock.now());
    return written ?? simulatedLog(pod, run, fromMs);
  }

  /** What the containers of a pod have written. */
  diskOf(uid: string): PodDisk {
    const disk = this.#disks.get(uid) ?? new PodDisk();
    this.#disks.set(uid, disk);
    return disk;
  }

  /** What the containers of a pod have beside what its node looks up. */
  placeOf({ metadata: { uid = '' } }: Pod): Pick<ContainerView, 'disk' | 'network'> {
    return { disk: this.diskOf(uid), network: this };
  }

  async exec(container: RunningContainer, command: CommandRequest, terminal: Terminal): Promise<void> {
    const { runInContainer } = await import('./exec/run-in-container.js');
    await runInContainer(this.#viewOf(container), command, terminal);
  }

  /** The exit code of the program is in the status of the pod; the client is not told. */
  async attach({ pod, container }: RunningContainer, terminal: Terminal): Promise<void> {
    const run = () => this.programs.last(pod.metadata.uid ?? '', container.name ?? '');
    for (let look = 0; !run()?.console && look < maxLooks && !terminal.gone.aborted; look++) {
      await sleep(this.#clock, lookMs, terminal.gone).catch(() => {});
    }
    const { console, end } = run() ?? {};
    if (console && !end) await console.attach(terminal);
    terminal.finish(exitStatus(0));
  }

  connect(pod: Pod, port: number, over: 'tcp' | 'tls' = 'tcp'): Promise<Duplex> {
    return this.#ports.connect(pod, port, over);
  }

  /** From now on pods are found at their addresses through this. */
  setPods(podAt: (address: string) => Pod | undefined): void {
    this.#podAt = podAt;
  }

  /** As of `PodNetwork`. */
  async request({ address, ...request }: PodRequest): Promise<Response | undefined> {
    const pod = this.#podAt(address);
    return pod && this.requestTo(pod, request);
  }

  /** Sends a request to a pod; undefined where what would answer is not simulated. */
  async requestTo(pod: Pod, { port, method, path, body }: Omit<PodRequest, 'address'>): Promise<Response | undefined> {
    const backend = this.#ports.backendOf(pod, port);
    if (typeof backend !== 'function') return undefined;
    const request = new Request(`http://localhost:${port}${path}`, { method, ...(body !== undefined && { body }) });
    try {
      return await backend(request);
    } catch (error) {
      return new Response(`${errorMessage(error)}\n`, { status: 500 });
    }
  }

  #contextOf({ metadata: { uid = '' } }: Pod, { name }: Container): ServerContext {
    const run = this.programs.last(uid, name);
    const received = (run && this.#received.get(run)) ?? new Map<string, number>();
    if (run) this.#received.set(run, received);
    const log = (line: string) => {
      const nowMs = this.#clock.now();
      const time = new Date(nowMs).toISOString().replaceAll('-', '/').replace('T', ' ').slice(0, 19);
      run?.log.write('stderr', Buffer.from(`${time} ${line}\n`), nowMs);
    };
    return { network: this, log, received };
  }

  /** A pod is gone, and everything of it. */
  forget(uid: string): void {
    this.programs.forget(uid);
    this.#disks.delete(uid);
  }

  #viewOf(container: RunningContainer): ContainerView {
    return { ...container, ...this.placeOf(container.pod) };
  }
}
