import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';

/** Ends when the part asked for last is loaded; modules belong to the process, and so does this. */
let loading: Promise<unknown> = Promise.resolve();

/**
 * Loads a part of the program that is not needed from the beginning. `path` is beside `parent`, the URL of the
 * module that asks; `imported` is the same as an import().
 *
 * require() reads all modules of a part in one go, which takes two thirds of the time that import() takes turn by
 * turn. What it cannot load import() can: sources that run unbuilt, and modules whose import is in progress.
 * Nothing else happens meanwhile, so of several parts each has a turn of the event loop, and requests come between.
 */
export function loadPart<Part>(parent: string, path: string, imported: () => Promise<Part>): Promise<Part> {
  const loaded = loading.then(async () => {
    await setImmediate();
    try {
      return createRequire(parent)(path) as Part;
    } catch {
      return await imported();
    }
  });
  loading = loaded.catch(() => {});
  return loaded;
}
