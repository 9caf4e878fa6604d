import type { Command } from './shell-grammar.js';

/** What a shell knows beside the environment of its process. */
export interface ShellState {
  /** `$0` */
  readonly name0: string;
  /** `$1` and so on. */
  readonly parameters: string[];
  readonly functions: Map<string, Command>;
  /** What to run at a signal, or at the end (`EXIT`). */
  readonly traps: Map<string, string>;
  /** What runs in the background. */
  readonly jobs: Set<Promise<void>>;
  /** `set -e`: the first failure that nothing asks for ends the shell. */
  isStrict: boolean;
  /** Exit code of what ran last. */
  code: number;
  /** Set while loops, or a function, are left. */
  leaving: { readonly kind: 'break' | 'continue' | 'return'; readonly levels: number } | undefined;
  /** From 0 to 32,767. */
  readonly random: () => number;
}

/** @param path what the shell was started as, such as `/bin/sh`; its name where the parameters have none */
export function newShellState(parameters: readonly string[], isStrict: boolean, path: string): ShellState {
  const [name0 = path, ...rest] = parameters;
  return {
    name0,
    parameters: rest,
    functions: new Map(),
    traps: new Map(),
    jobs: new Set(),
    isStrict,
    code: 0,
    leaving: undefined,
    random: () => Math.floor(Math.random() * 32_768),
  };
}
