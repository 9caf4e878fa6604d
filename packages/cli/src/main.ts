import { exit, Interrupted } from './runtime/exit.js';
import type { Noun } from './runtime/main.js';
import { main } from './runtime/main.js';
import { processTerminal } from './runtime/terminal.js';

const nouns: readonly Noun[] = [
  { name: 'up', summary: 'Start a local Kubernetes cluster', load: () => import('./commands/up.js') },
  { name: 'down', summary: 'Stop a local cluster', load: () => import('./commands/down.js') },
  { name: 'status', summary: 'Show the local clusters that run', load: () => import('./commands/status.js') },
  { name: 'feature', summary: 'See and switch features', load: () => import('./commands/feature/feature.js') },
  { name: 'dev', summary: 'Play with the local cluster itself', load: () => import('./commands/dev/dev.js') },
];

const stop = new AbortController();
process.once('SIGINT', () => {
  stop.abort(new Interrupted('SIGINT'));
  process.once('SIGINT', () => process.exit(exit.interrupted));
});
process.once('SIGTERM', () => stop.abort(new Interrupted('SIGTERM')));

process.exitCode = await main(process.argv.slice(2), nouns, processTerminal(), stop.signal);
