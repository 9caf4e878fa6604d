import { completesForKubectl } from './output/called-as.js';
import { endProcess } from './runtime/end-process.js';

const words = process.argv.slice(2);

const asksForHelp = words.includes('--help') || words.includes('-h');

// The pull limiter stands between a kubelet and its runtime for months: its process loads only what it needs.
if (words[0] === 'pulls' && words[1] === 'serve' && !asksForHelp) {
  const { servePulls } = await import('./pulls-serve.js');
  process.exitCode = await servePulls(words.slice(2));
} else if (words[0] === 'dev' && words[1] === 'serve-asset') {
  // The launchers that `slipway dev assets` writes: what they are given are flags of another program.
  const { serveAsset } = await import('./test-assets/serve-asset.js');
  const [, , asset = '', version = '', ...flags] = words;
  endProcess(await serveAsset(asset, version, flags));
} else {
  const { runProcess } = await import('./command-line.js');
  await runProcess(completesForKubectl ? ['__complete', ...words] : words);
}
