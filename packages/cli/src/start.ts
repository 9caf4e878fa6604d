import { fileURLToPath } from 'node:url';
import { runCompiled } from './runtime/compiled-program.js';

/**
 * The first code of the process. The build makes CommonJS of it, whose loader takes a fifth of the time that of modules takes to begin.
 * Commands on proposals, which commit hooks run, go on with a compiled program. All others, and these where nothing is compiled for this engine,
 * go on in `main.ts`.
 */
const words = process.argv.slice(2);
const calledAs = process.env.SLIPWAY_CALLED_AS ?? process.argv[1] ?? '';
const needsMore = ['verify', 'lsp'].includes(words[1] ?? '') || calledAs.endsWith('kubectl_complete-slipway');
const compiled =
  words[0] === 'kep' && !needsMore ? runCompiled(fileURLToPath(new URL('./kep.cjs', import.meta.url))) : undefined;
if (compiled) void (compiled.exports as typeof import('./command-line.js')).runProcess(words);
else void import('./main.js');
