// @ts-check
/**
 * What the single executable runs first: unpacks the command once into a folder of the user, and starts it there.
 * Native parts and worker threads need files; nothing else in this executable does.
 */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const sea = require('node:sea');

/** @typedef {{ readonly path: string, readonly sha256: string, readonly bytes: number }} Part */

/** @type {{ readonly id: string, readonly parts: readonly Part[] }} */
const contents = JSON.parse(sea.getAsset('contents.json', 'utf8'));

try {
  const app = path.join(cacheFolder(), contents.id);
  if (!isComplete(app)) unpack(app);
  start(app);
} catch (error) {
  process.stderr.write(`slipway: cannot unpack itself: ${error instanceof Error ? error.message : error}\n`);
  process.stderr.write('To fix: set XDG_CACHE_HOME to a folder that only you can write\n');
  process.exit(2);
}

/** @param {string} app */
function start(app) {
  const [, , first, ...rest] = process.argv;
  // Programs of ours start others as `node FILE`, and this executable is their node.
  const isPart = first?.startsWith(app + path.sep) === true;
  const file = isPart ? first : path.join(app, 'bin/slipway.js');
  process.argv = isPart
    ? [process.execPath, file, ...rest]
    : [process.execPath, process.execPath, ...process.argv.slice(2)];
  createRequire(file)(path.join(app, 'bin/import.cjs'))(file);
}

/** A folder that only this user can write: of the user, or where there is none, a temporary one. */
function cacheFolder() {
  const { XDG_CACHE_HOME: given, HOME: home } = process.env;
  const fallback = path.join(os.tmpdir(), `slipway-${process.getuid?.()}`);
  const wanted = given ? path.join(given, 'slipway') : home ? path.join(home, '.cache', 'slipway') : fallback;
  try {
    return privateFolder(wanted);
  } catch (error) {
    if (given || wanted === fallback) throw error;
    return privateFolder(fallback);
  }
}

/** @param {string} folder */
function privateFolder(folder) {
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid } = fs.lstatSync(folder);
  if (!fs.lstatSync(folder).isDirectory() || uid !== process.getuid?.()) {
    throw new Error(`${folder} is not a folder of this user`);
  }
  fs.chmodSync(folder, 0o700);
  fs.accessSync(folder, fs.constants.W_OK);
  return folder;
}

/** @param {string} app */
function isComplete(app) {
  return contents.parts.every(
    (part) => fs.statSync(path.join(app, part.path), { throwIfNoEntry: false })?.size === part.bytes,
  );
}

/**
 * Others may unpack at the same time: each does so beside, and the first to rename wins. A folder that lost files is
 * filled up file by file, since a running process may be using it.
 * @param {string} app
 */
function unpack(app) {
  const beside = fs.mkdtempSync(`${app}.`);
  const parts = Buffer.from(/** @type {ArrayBuffer} */ (sea.getRawAsset('parts')));
  let start = 0;
  try {
    for (const part of contents.parts) {
      const bytes = parts.subarray(start, start + part.bytes);
      start += part.bytes;
      const digest = createHash('sha256').update(bytes).digest('hex');
      if (digest !== part.sha256) throw new Error(`its part ${part.path} is damaged`);
      const file = path.join(beside, part.path);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, bytes);
    }
    try {
      fs.renameSync(beside, app);
    } catch {
      for (const part of contents.parts) {
        fs.mkdirSync(path.dirname(path.join(app, part.path)), { recursive: true });
        fs.renameSync(path.join(beside, part.path), path.join(app, part.path));
      }
    }
  } finally {
    fs.rmSync(beside, { recursive: true, force: true });
  }
}
