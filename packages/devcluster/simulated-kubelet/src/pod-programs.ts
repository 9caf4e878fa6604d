import { type Clock, type Kube, sleep } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import { programOf } from './exec/program-of.js';
import { programView } from './exec/program-view.js';
import { ProgramConsole, type ProgramConsoleOptions } from './logs/program-console.js';
import type { ProgramEnd, ProgramRun } from './logs/program-runs.js';
import type { Resident } from './pods/residents.js';
import type { SimulatedNodes } from './simulated-nodes.js';
import { containerRun } from './status/container-status.js';
import { containerAt } from './timeline/container-at.js';
import type { ContainerTimes, PodDelays } from './timeline/pod-timeline.js';
import { exited } from './timeline/timeline-changes.js';

/** How often it is looked for changes of what volumes bring. */
const refreshMs = 10_000;
/** How soon a program is tried again for which something could not be fetched. */
const retryMs = 1_000;
/** What a status keeps of what a program left, in bytes, and of its log instead in lines and bytes. */
const [maxMessage, maxLogLines, maxLogMessage] = [4096, 80, 2048];
const forever = 2 ** 31 - 1;

export interface PodProgramsOptions {
  readonly kube: Kube;
  readonly nodes: SimulatedNodes;
  readonly delays: Pick<PodDelays, 'initMs'>;
  readonly syncSoon: (pod: Pod) => void;
}

/** Runs the programs of the containers of one node. */
export class PodPrograms {
  readonly #options: PodProgramsOptions;

  constructor(options: PodProgramsOptions) {
    this.#options = options;
  }

  /** The timeline of a pod with the ends of those of its programs that have ended by now. */
  ended({ pod, timeline, admittedAtMs }: Resident): readonly ContainerTimes[] {
    const { programs } = this.#options.nodes;
    const { uid = '' } = pod.metadata;
    let updated = timeline;
    for (const { container, course } of timeline) {
      const { restarts, end } = programs.last(uid, container.name) ?? {};
      if (!end || course.exits?.some((exit) => exit.restarts === restarts)) continue;
      updated = exited(pod, updated, { container: container.name, ...end }, end.atMs - admittedAtMs);
    }
    return updated;
  }

  /** Starts what is to run by now and does not yet. `pod` is as its status was reported last. */
  start({ timeline }: Resident, pod: Pod, elapsedMs: number): void {
    const { programs } = this.#options.nodes;
    const { uid = '' } = pod.metadata;
    for (const times of timeline) {
      const { name } = times.container;
      const command = programOf(pod, times.container);
      if (!command) continue;
      const { state, life } = containerAt(times, elapsedMs);
      if (state !== 'running' || !life || programs.last(uid, name)?.restarts === life.restarts) continue;
      this.#run(pod, times, command, programs.begin(uid, name, life.restarts));
    }
  }

  #run(pod: Pod, times: ContainerTimes, command: readonly string[], run: ProgramRun): void {
    const { kube, nodes, syncSoon } = this.#options;
    const { uid = '' } = pod.metadata;
    this.#endOf(pod, times, command, run).then(
      (end) => {
        if (run.killed.signal.aborted) return;
        run.end = end;
        run.console?.finish();
        syncSoon(pod);
      },
      () => {
        nodes.programs.discard(uid, times.container.name);
        kube.clock.after(retryMs, () => syncSoon(pod));
      },
    );
  }

  async #endOf(
    pod: Pod,
    { container, kind }: ContainerTimes,
    command: readonly string[],
    run: ProgramRun,
  ): Promise<ProgramEnd> {
    const { kube, nodes, delays } = this.#options;
    const { clock } = kube;
    const { log, killed } = run;
    const gone = killed.signal;
    const id = containerRun(pod, container.name, run.restarts);
    const fields = container as unknown as ContainerFields;
    const write = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => log.write(stream, bytes, clock.now());
    const terminal = new ProgramConsole({ killed: gone, write, input: inputOf(fields) });
    run.console = terminal;
    const { view, changes, refresh } = await programView(kube, pod, fields, id, nodes.placeOf(pod));
    // What is not simulated does what it would do if nothing were.
    const unknown = async () => {
      run.isUnknown = true;
      await sleep(clock, kind === 'init' ? delays.initMs : forever, gone).catch(() => {});
      return 0;
    };
    const ended = new AbortController();
    if (changes) refreshEvery(clock, AbortSignal.any([gone, ended.signal]), refresh);
    const { runMainProgram } = await import('./exec/main-program.js');
    const { code, left } = await runMainProgram(view, command, terminal, unknown).finally(() => ended.abort());
    const nowMs = clock.now();
    log.end(nowMs);
    return { atMs: nowMs, code, message: messageOf(run, left, code, container.terminationMessagePolicy) };
  }
}

/** At a terminal the input stays when a client leaves. */
function inputOf({ stdin, stdinOnce, tty }: ContainerFields): ProgramConsoleOptions['input'] {
  if (!stdin) return 'none';
  return stdinOnce && !tty ? 'of-first-client' : 'while-running';
}

async function refreshEvery(clock: Clock, until: AbortSignal, refresh: () => Promise<void>): Promise<void> {
  while (!until.aborted) {
    await sleep(clock, refreshMs, until).catch(() => {});
    // What cannot be fetched now is fetched the next time.
    if (!until.aborted) await refresh().catch(() => {});
  }
}

/** What a status says of how a program ended: what it left for that, or the end of its log where the container says so. */
function messageOf({ log }: ProgramRun, left: Buffer, code: number, policy: string | undefined): string {
  if (left.length > 0) return left.subarray(0, maxMessage).toString();
  return policy === 'FallbackToLogsOnError' && code !== 0 ? log.tail(maxLogLines, maxLogMessage) : '';
}
