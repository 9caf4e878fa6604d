/** The thread of the watchdog: see `watchEventLoop`. It writes to stderr itself, since the main thread may never run again. */
import { writeSync } from 'node:fs';
import { type Debugger, Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { look, newWatch } from './blocked-reports.js';
import { beatMs, shared } from './watchdog.js';

const state = workerData as Int32Array;
const maxFrames = 4;
let watch = newWatch;

setInterval(() => {
  const { watch: next, finding } = look(watch, Atomics.load(state, shared.beats));
  watch = next;
  if (!finding || Atomics.load(state, shared.isDebugged)) return;
  const lasted = `${(finding.looks * beatMs) / 1000} s`;
  if (finding.kind === 'running') report(`the event loop runs again after ${lasted}`);
  else
    nameFrames((frames) =>
      report(`the event loop has been blocked for ${lasted} by ${frames}; nothing is served until it ends`),
    );
}, beatMs);

/** Between two promise jobs no function of a program is on the stack: one of the next statements is in one. */
const maxSteps = 20;

/** Pauses the main thread for a moment and names what it is executing. */
function nameFrames(name: (frames: string) => void): void {
  const session = new Session();
  session.connectToMainThread();
  const scripts = new Map<string, string>();
  const isOfNode = ({ location }: Debugger.CallFrame) => scripts.get(location.scriptId)?.startsWith('node:') ?? false;
  let steps = 0;
  session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    if (params.callFrames.every(isOfNode) && ++steps < maxSteps) return session.post('Debugger.stepInto');
    session.post('Debugger.resume', () => session.disconnect());
    const frames = params.callFrames.slice(0, maxFrames).map((frame) => describe(frame, scripts));
    name(frames.join(', called by '));
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
}

function describe({ functionName, location }: Debugger.CallFrame, scripts: ReadonlyMap<string, string>): string {
  const file = scripts.get(location.scriptId)?.split('/').slice(-2).join('/') ?? 'unknown';
  return `${functionName || 'a function'} (${file}:${location.lineNumber + 1})`;
}

function report(message: string): void {
  writeSync(2, `warning: ${message}\n`);
}
