import type { Clock } from '@slipway/kube';
import type { PodRequest } from '../ports/pod-network.js';
import type { ContainerFiles } from './container-files.js';
import type { Input } from './input.js';

/** A simulated process: what it has, and where what it writes goes. */
export interface Process {
  /** What it was started as: `/bin/sh`. */
  path: string;
  readonly environment: Map<string, string>;
  readonly files: ContainerFiles;
  /** Path of the folder it is in. */
  folder: string;
  /** What is typed; undefined without standard input. */
  input: Input | undefined;
  out: (bytes: string | Uint8Array) => void;
  err: (text: string) => void;
  /** Sends a request to a pod; undefined where nothing answers in the simulation. */
  readonly request: (request: Omit<PodRequest, 'address'> & { readonly host: string }) => Promise<Response | undefined>;
  readonly size: () => { readonly Width: number; readonly Height: number } | undefined;
  readonly clock: Clock;
  /** Aborts when no client waits any more for it, or for the command that it runs. */
  gone: AbortSignal;
  /** Of the user that it runs as. */
  readonly ids: UserIds;
  /**
   * What becomes of the container when its program needs what is not simulated; resolves with the exit code. Absent
   * where that is an error.
   */
  readonly unknown?: (() => Promise<number>) | undefined;
  /** Its shell was told to exit. */
  isOver: boolean;
}

export interface UserIds {
  readonly user: number;
  readonly group: number;
  /** With that of `group`, in order. */
  readonly groups: readonly number[];
}

/** A program that simulated containers have. Resolves with its exit code. */
export type Program = (process: Process, args: readonly string[]) => number | Promise<number>;
