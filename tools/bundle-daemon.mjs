// @ts-check
/**
 * Puts all modules of `slipway pulls serve` into one file. Loading fifty of them takes more memory than they do: the
 * loader gets hot, V8 compiles it, and that stays resident for as long as the daemon runs.
 */
import { readFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

/** @param {string} root path of the repository, with the built packages in it */
export async function bundleDaemon(root) {
  const dist = `${root}packages/cli/dist/`;
  const building = await rolldown({
    input: { 'pulls-serve': `${dist}commands/pulls/serve-entry.js` },
    platform: 'node',
    logLevel: 'silent',
  });
  await building.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'pulls-serve-[name].js',
    // Source text stays in memory. Names stay, for the stack of an error.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    banner: ({ name }) => (name === 'settings-files' ? noticeOf(root, 'yaml') : ''),
  });
  await building.close();
}

/**
 * The licence of a dependency that is in a file, which has to be there with it.
 * @param {string} root
 * @param {string} name
 */
function noticeOf(root, name) {
  return `/*! ${name}\n${readFileSync(`${root}node_modules/${name}/LICENSE`, 'utf8')}*/`;
}
