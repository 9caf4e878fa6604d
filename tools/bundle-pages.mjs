// @ts-check
/**
 * Bundles the pages of the console into one JSON file beside the module that reads it, so that whatever carries the
 * console (packages, the bundled command, the single executable) carries one more file.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';

/** @param {string} root path of the repository */
export async function bundlePages(root) {
  const folder = `${root}packages/console/`;
  const pages = `${folder}src/pages/`;
  const building = await rolldown({
    input: `${pages}main.tsx`,
    platform: 'browser',
    logLevel: 'silent',
    resolve: {
      conditionNames: ['slipway-source', 'browser', 'import'],
      extensionAlias: { '.js': ['.tsx', '.ts', '.js'] },
    },
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
  });
  const { output } = await building.generate({ format: 'esm', minify: true, banner: noticeOf(root, 'preact') });
  await building.close();
  const [script] = output;
  if (output.length !== 1) throw new Error(`the pages are ${output.length} files, and one is served`);

  const style = readFileSync(`${pages}style.css`, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ');
  const scriptName = `console-${hashOf(script.code)}.js`;
  const styleName = `console-${hashOf(style)}.css`;
  const document = readFileSync(`${pages}index.html`, 'utf8').replace('SCRIPT', scriptName).replace('STYLE', styleName);
  const files = {
    '/': { type: 'text/html; charset=utf-8', text: document },
    [`/assets/${scriptName}`]: { type: 'text/javascript; charset=utf-8', text: script.code },
    [`/assets/${styleName}`]: { type: 'text/css; charset=utf-8', text: style },
    '/assets/icon.svg': { type: 'image/svg+xml', text: readFileSync(`${pages}icon.svg`, 'utf8') },
  };
  writeFileSync(`${folder}dist/server/console-pages.json`, JSON.stringify(files));
}

/** @param {string} text */
function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * The licence of a library that is in the script, which has to be there with it.
 * @param {string} root
 * @param {string} name
 */
function noticeOf(root, name) {
  return `/*! ${name}\n${readFileSync(`${root}node_modules/${name}/LICENSE`, 'utf8')}*/`;
}
