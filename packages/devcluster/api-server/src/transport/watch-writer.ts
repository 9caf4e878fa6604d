import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@slipway/kube';
import type { EncodedFrame, Payload } from '../request/request.js';

const behindBytes = 4 * 1024 * 1024;
const behindMs = 30_000;
/** Lines that are made, the time that takes, and characters that are written, before other requests have their turn. */
const [madePerWrite, msPerWrite, charactersPerWrite] = [64, 8, 256 * 1024];

/**
 * Writes a watch to a response, one line per event; events of one turn of the
 * event loop go out together. A client that falls more than 4 MiB behind, or
 * reads nothing for 30 seconds, is cut off: it can go on from what it has read.
 */
export function watchWriter(
  payload: Extract<Payload, { kind: 'watch' }>,
  response: ServerResponse,
  clock: Clock,
): void {
  const waiting: (string | EncodedFrame)[] = [];
  /** Of the lines that are made: what the watch begins with is made when it is written. */
  let bytes = 0;
  let hasBegun = false;
  let blocked = false;
  let scheduled = false;
  let stuck: Timer | undefined;
  let ended = false;

  const nowMs = () => clock.machineMs?.() ?? clock.monotonicMs();
  const flush = () => {
    scheduled = false;
    if (response.destroyed) return;
    if (!blocked && waiting.length > 0) blocked = !response.write(nextText());
    if (blocked) stuck ??= clock.after(behindMs, () => response.destroy());
    else if (waiting.length > 0) schedule();
    else if (ended) response.end();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  };
  const nextText = () => {
    let text = '';
    let [lines, made] = [0, 0];
    const until = nowMs() + msPerWrite;
    for (const next of waiting) {
      const line = typeof next === 'string' ? next : next.line();
      if (typeof next === 'string') bytes -= line.length;
      else made++;
      lines++;
      text += line;
      if (made === madePerWrite || text.length >= charactersPerWrite || nowMs() >= until) break;
    }
    waiting.splice(0, lines);
    return text;
  };
  response.on('drain', () => {
    stuck?.cancel();
    stuck = undefined;
    blocked = false;
    flush();
  });

  response.flushHeaders();
  const watch = payload.open({
    event(frame) {
      const line = hasBegun ? frame.line() : undefined;
      waiting.push(line ?? frame);
      bytes += line?.length ?? 0;
      if (bytes > behindBytes) return void response.destroy();
      schedule();
    },
    end() {
      ended = true;
      schedule();
    },
  });
  // What the watch begins with may be large; it counts as behind only by what comes on top of it.
  hasBegun = true;
  response.on('close', () => {
    stuck?.cancel();
    if (!ended) watch.close();
  });
  if (response.destroyed) watch.close();
}
