import { completesForKubectl } from './runtime/called-as.js';

const words = process.argv.slice(2);

// The pull limiter stands between a kubelet and its runtime for months: its process loads only what it needs.
if (words[0] === 'pulls' && words[1] === 'serve') {
  const { servePulls } = await import('./commands/pulls/serve-entry.js');
  process.exitCode = await servePulls(words.slice(2));
} else {
  const { runCommandLine } = await import('./command-line.js');
  process.exitCode = await runCommandLine(completesForKubectl ? ['__complete', ...words] : words);
}
