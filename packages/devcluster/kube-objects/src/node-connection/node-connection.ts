import type { Duplex } from 'node:stream';
import type { Clock, KubeObject } from '@slipway/kube';
import type { Pod } from '../kinds/api/pods.js';
import type { ContainerFields } from '../kinds/pod-spec.js';
import type { Terminal } from './terminal.js';

/** What an API server asks of the kubelets of its nodes. */
export interface NodeConnection {
  /** Whether the kubelet of a node answers. */
  answers(nodeName: string): boolean;
  /** The metrics of a kubelet, in the Prometheus text format. */
  metricsOf(nodeName: string): string;
  /** What the containers of these pods and their node use, in the Prometheus text format. */
  resourceMetrics(pods: readonly Pod[]): string;
  /** `Summary` of the kubelet's stats API, for a node with these pods. */
  statsSummary(nodeName: string, pods: readonly Pod[]): object;
  /** The run of a container whose log is read; a string says why there is none, in a kubelet's words. */
  loggedRun(pod: Pod, container: string, previous: boolean): LoggedRun | string;
  /** The lines that a run of a container writes from `fromMs` on, also those to come. */
  logOf(pod: Pod, run: LoggedRun, fromMs: number): Iterable<LogLine>;
  /** Runs a command in a container and tells the client how it ended. */
  exec(container: RunningContainer, command: CommandRequest, terminal: Terminal): Promise<void>;
  /** Connects a client to the program of a container that has standard input. */
  attach(container: RunningContainer, terminal: Terminal): Promise<void>;
  /**
   * Connects to a port of a pod.
   * @param over the protocol of a port of this machine; its certificates are not checked
   * @throws Error named ConnectionRefusedError when nothing listens there
   */
  connect(pod: Pod, port: number, over?: 'tcp' | 'tls'): Promise<Duplex>;
}

/** A container that runs, with what its kubelet can look up for it. */
export interface RunningContainer {
  readonly pod: Pod;
  readonly container: ContainerFields;
  /** Tells one run of the container from the next. */
  readonly run: string;
  /** An object of the pod's namespace, or the pod's node; `resource` is a plural of the core group. */
  readonly lookUp: (resource: 'configmaps' | 'secrets' | 'services' | 'nodes', name: string) => KubeObject | undefined;
  readonly services: () => readonly KubeObject[];
  /** A token of the pod's service account. */
  readonly token: (expirationSeconds: number, audience: string | undefined) => Promise<string>;
  readonly clock: Clock;
}

export interface CommandRequest {
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
}

/** One run of a container, as its status tells of it. */
export interface LoggedRun {
  readonly container: string;
  readonly image: string;
  /** How often the container was restarted before. */
  readonly restarts: number;
  readonly startedAtMs: number;
  /** Undefined while it runs. */
  readonly ended: { readonly atMs: number; readonly exitCode: number } | undefined;
}

/** One line that a container has written. */
export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}
