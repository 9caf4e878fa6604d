import type { LoggedRun, LogLine } from '@slipway/kube-objects/node-connection/node-connection';
import type { ProgramConsole } from './program-console.js';
import { ProgramLog } from './program-log.js';

/** How a program ended. */
export interface ProgramEnd {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly code: number;
  readonly message: string;
}

/** One run of the program of a container. */
export interface ProgramRun {
  /** How often the container was restarted before. */
  readonly restarts: number;
  readonly log: ProgramLog;
  /** Kills it. */
  readonly killed: AbortController;
  /** Undefined before it begins. */
  console: ProgramConsole | undefined;
  /** It needs what is not simulated: what it does is not known. */
  isUnknown: boolean;
  /** Undefined while it runs. */
  end: ProgramEnd | undefined;
}

/** The programs that containers run, and what they have written: the run of now and the one before. */
export class ProgramRuns {
  readonly #runs = new Map<string, Map<string, readonly ProgramRun[]>>();

  /** The last run of a container; undefined when it never had one. */
  last(uid: string, container: string): ProgramRun | undefined {
    return this.#runs.get(uid)?.get(container)?.[0];
  }

  /** Begins a run; what the container ran before is killed. */
  begin(uid: string, container: string, restarts: number): ProgramRun {
    const before = this.last(uid, container);
    before?.killed.abort();
    const run = {
      restarts,
      log: new ProgramLog(),
      killed: new AbortController(),
      console: undefined,
      isUnknown: false,
      end: undefined,
    };
    const ofPod = this.#runs.get(uid) ?? new Map<string, readonly ProgramRun[]>();
    ofPod.set(container, [run, ...(before ? [before] : [])]);
    this.#runs.set(uid, ofPod);
    return run;
  }

  /** A run came to nothing: it is as if it had not begun. */
  discard(uid: string, container: string): void {
    this.#runs.get(uid)?.delete(container);
  }

  /** Kills what the containers of a pod run. What they have written stays. */
  kill(uid: string): void {
    for (const runs of this.#runs.get(uid)?.values() ?? []) for (const { killed } of runs) killed.abort();
  }

  /** The pod is gone, and everything of it. */
  forget(uid: string): void {
    this.kill(uid);
    this.#runs.delete(uid);
  }

  /** What a run has written from `fromMs` on; undefined when the container runs no program. */
  linesOf(
    uid: string,
    { container, restarts }: LoggedRun,
    fromMs: number,
    nowMs: number,
  ): readonly LogLine[] | undefined {
    const runs = this.#runs.get(uid)?.get(container);
    return runs?.find((run) => run.restarts === restarts)?.log.linesFrom(fromMs, nowMs);
  }
}
