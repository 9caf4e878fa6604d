const [noun, verb, ...rest] = process.argv.slice(2);

// The pull limiter stands between a kubelet and its runtime for months: its process loads only what it needs.
if (noun === 'pulls' && verb === 'serve') {
  const { servePulls } = await import('./commands/pulls/serve-entry.js');
  process.exitCode = await servePulls(rest);
} else {
  const { runCommandLine } = await import('./command-line.js');
  process.exitCode = await runCommandLine(process.argv.slice(2));
}

export {};
