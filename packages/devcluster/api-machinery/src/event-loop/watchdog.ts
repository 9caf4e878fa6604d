import { existsSync } from 'node:fs';
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** What the main thread and the watchdog share: how often the event loop ran, and whether a debugger is attached. */
export const shared = { beats: 0, isDebugged: 1, length: 2 };

export const beatMs = 250;

/**
 * Watches the event loop of this process from another thread. When it is blocked for a second, one line on stderr names
 * the function that blocks it and its callers, also when it never ends; another line says when it runs again.
 * @returns a function that ends the watch
 */
export function watchEventLoop(): () => void {
  const program = new URL('./watchdog-worker.js', import.meta.url);
  // Sources that run unbuilt have no worker.
  if (!existsSync(program)) return () => {};
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * shared.length));
  const beat = setInterval(() => {
    Atomics.add(state, shared.beats, 1);
    Atomics.store(state, shared.isDebugged, debuggerUrl() ? 1 : 0);
  }, beatMs);
  const worker = new Worker(program, {
    workerData: state,
    // Those of this process may be for its main program only.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  // A failing watchdog must not end the process.
  worker.on('error', () => clearInterval(beat));
  worker.unref();
  beat.unref();
  return () => {
    clearInterval(beat);
    void worker.terminate();
  };
}
