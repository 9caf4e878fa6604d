import { completesForKubectl } from './output/called-as.js';

const words = process.argv.slice(2);

/** How long what a command left behind may take to end by itself. */
const endWithinMs = 1_000;

const asksForHelp = words.includes('--help') || words.includes('-h');

// The pull limiter stands between a kubelet and its runtime for months: its process loads only what it needs.
if (words[0] === 'pulls' && words[1] === 'serve' && !asksForHelp) {
  const { servePulls } = await import('./pulls-serve.js');
  process.exitCode = await servePulls(words.slice(2));
} else {
  const { runCommandLine } = await import('./command-line.js');
  process.exitCode = await runCommandLine(completesForKubectl ? ['__complete', ...words] : words);
  // The answer is known: nothing that still listens or waits may keep the process. What is written is written to the end.
  setTimeout(() => process.stdout.write('', () => process.exit()), endWithinMs).unref();
}
