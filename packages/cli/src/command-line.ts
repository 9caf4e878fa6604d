import { setMaxListeners } from 'node:events';
import type { Command } from 'commander';
import { main } from './run-command.js';
import { endProcess } from './runtime/end-process.js';
import { abortOnEndSignals } from './runtime/end-signals.js';
import { buildProgram, type Noun } from './runtime/program.js';
import { processTerminal } from './runtime/terminal.js';

/** Every word that may follow `slipway`. */
export const nouns: readonly Noun[] = [
  { name: 'up', summary: 'Start a local Kubernetes cluster', load: () => import('./commands/cluster/up.js') },
  { name: 'down', summary: 'Stop a local cluster', load: () => import('./commands/cluster/down.js') },
  { name: 'status', summary: 'List the running local clusters', load: () => import('./commands/cluster/status.js') },
  {
    name: 'console',
    summary: 'Show and change a cluster in a browser',
    load: () => import('./commands/console/console.js'),
  },
  {
    name: 'feature',
    summary: 'Show features, and turn them on and off',
    load: () => import('./commands/feature/feature.js'),
  },
  {
    name: 'upgrade',
    summary: 'Check for blockers of a move to another Kubernetes version',
    load: () => import('./commands/upgrade/upgrade.js'),
  },
  {
    name: 'node',
    summary: 'Show and set how much of a node pods may use',
    load: () => import('./commands/node/node.js'),
  },
  { name: 'pulls', summary: 'Limit parallel image pulls on a node', load: () => import('./commands/pulls/pulls.js') },
  { name: 'kep', summary: 'Write and check enhancement proposals', load: () => import('./commands/kep/kep.js') },
  { name: 'install', summary: 'Install Slipway on a cluster', load: () => import('./commands/install/install.js') },
  {
    name: 'uninstall',
    summary: 'Remove Slipway from a cluster, and keep its data',
    load: () => import('./commands/install/uninstall.js'),
  },
  {
    name: 'doctor',
    summary: 'Check whether everything of Slipway on a cluster does its work',
    load: () => import('./commands/doctor/doctor.js'),
  },
  { name: 'run', summary: 'Run one process of Slipway beside a cluster', load: () => import('./commands/run/run.js') },
  {
    name: 'dev',
    summary: 'Control the local cluster, and write programs for tests',
    load: () => import('./commands/dev/dev.js'),
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands in a shell',
    load: () => import('./commands/completion.js'),
  },
  { name: 'help', summary: 'Show the help of a command', load: () => import('./commands/help.js') },
];

/** Runs the command line of this process, and lets it end with the exit code. */
export async function runProcess(argv: readonly string[]): Promise<void> {
  endProcess(await runCommandLine(argv));
}

/** Runs the command line of this process, with its signals and its terminal. Resolves with the exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const stop = new AbortController();
  // Every request that is under way listens, and a command may have any number of them.
  setMaxListeners(0, stop.signal);
  abortOnEndSignals(stop);
  // Waiting on a clock does not keep a process alive, and a command that waits has not ended.
  const alive = setInterval(() => {}, 2_147_483_647);
  try {
    return await main(argv, nouns, processTerminal(), stop.signal);
  } finally {
    clearInterval(alive);
  }
}

/** All commands, for what describes them: manual pages, reference pages. None of them runs. */
export async function commandTree(): Promise<Command> {
  const invocation = { terminal: processTerminal(), signal: new AbortController().signal, answer: () => {} };
  return await buildProgram(nouns, invocation, () => true);
}
