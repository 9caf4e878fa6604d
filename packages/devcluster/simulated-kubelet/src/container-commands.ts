import type { Kube } from '@slipway/kube';
import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import type { ContainerView } from './exec/container-view.js';
import { programOf } from './exec/program-of.js';
import { programView } from './exec/program-view.js';
import type { HookAction } from './probes/exec-probe.js';
import type { SimulatedNodes } from './simulated-nodes.js';
import { containerRun } from './status/container-status.js';

/** What is kept of the output of a command that failed, in characters. */
const maxOutput = 1024;

export interface ContainerCommandsOptions {
  readonly kube: Kube;
  readonly nodes: Pick<SimulatedNodes, 'placeOf' | 'programs' | 'request' | 'requestTo'>;
}

/** A run of a container. */
export interface ContainerRun {
  readonly pod: Pod;
  readonly container: Container;
  /** How often the container was restarted before. */
  readonly restarts: number;
}

/** Runs the commands of probes and hooks in the containers of one node. */
export class ContainerCommands {
  readonly #options: ContainerCommandsOptions;

  constructor(options: ContainerCommandsOptions) {
    this.#options = options;
  }

  /** Does what a hook does. Resolves with what is wrong when it fails; a page that is not simulated does not. */
  async hookFailure(run: ContainerRun, hook: HookAction, ended: AbortSignal): Promise<string | undefined> {
    if (hook.kind === 'command') return this.failure(run, hook.command, ended);
    const { nodes } = this.#options;
    const { address, port, path } = hook;
    if (address === undefined) await nodes.requestTo(run.pod, { port, path, method: 'GET' });
    else await nodes.request({ address, port, path, method: 'GET' });
    return undefined;
  }

  /** Does for at most so many milliseconds what a hook before the end of a container does. Whether it failed. */
  async failsBeforeStop(run: ContainerRun, hook: HookAction, graceMs: number): Promise<boolean> {
    const over = new AbortController();
    const timer = this.#options.kube.clock.after(graceMs, () => over.abort());
    const failure = await this.hookFailure(run, hook, over.signal).catch(() => undefined);
    timer.cancel();
    return failure !== undefined && !over.signal.aborted;
  }

  /** Whether a file or folder is there. */
  async hasFile({ pod, container, restarts }: ContainerRun, path: string): Promise<boolean> {
    const { ContainerFiles } = await import('./exec/container-files.js');
    const files = new ContainerFiles(await this.#viewOf({ pod, container, restarts }));
    return files.isFile(path) || files.isFolder(path);
  }

  /**
   * Runs a command. Resolves with what it says when it fails; undefined when it succeeds, or needs what is not simulated.
   * @param ended aborts when its result is of no use any more
   */
  async failure(
    { pod, container, restarts }: ContainerRun,
    command: readonly string[],
    ended: AbortSignal,
    timeoutSeconds?: number,
  ): Promise<string | undefined> {
    const { kube, nodes } = this.#options;
    const { uid = '' } = pod.metadata;
    const timedOut = new AbortController();
    const timer =
      timeoutSeconds === undefined ? undefined : kube.clock.after(timeoutSeconds * 1000, () => timedOut.abort());
    let output = '';
    const write = (bytes: Uint8Array) => {
      output = (output + Buffer.from(bytes)).slice(0, maxOutput);
    };
    const terminal: Terminal = {
      gone: AbortSignal.any([ended, timedOut.signal]),
      size: undefined,
      listen: () => {},
      stdout: write,
      stderr: write,
      finish: () => {},
    };
    try {
      const view = await this.#viewOf({ pod, container, restarts });
      const { exitCodeOf } = await import('./exec/run-in-container.js');
      // A program that is not simulated may have written what is looked for.
      const isSimulated =
        programOf(pod, container) !== undefined && !nodes.programs.last(uid, container.name)?.isUnknown;
      let needsMore = false;
      const run = async () => {
        needsMore = true;
        return 0;
      };
      const unknown = { run, excuses: isSimulated ? 'image' : 'all' } as const;
      const code = await exitCodeOf(view, { command, stdin: false, tty: false }, terminal, unknown);
      if (timedOut.signal.aborted) {
        return `command timed out: ${JSON.stringify(command.join(' '))} timed out after ${timeoutSeconds}s`;
      }
      // What a program that is not simulated would have written may be what the rest looks for.
      return code === 0 || needsMore ? undefined : output;
    } finally {
      timer?.cancel();
    }
  }

  async #viewOf({ pod, container, restarts }: ContainerRun): Promise<ContainerView> {
    const { kube, nodes } = this.#options;
    const id = containerRun(pod, container.name, restarts);
    return (await programView(kube, pod, container as unknown as ContainerFields, id, nodes.placeOf(pod))).view;
  }
}
