import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@slipway/kube';
import type { Payload } from '../request/request.js';

const behindBytes = 4 * 1024 * 1024;
const behindMs = 30_000;
const linesPerWrite = 64;

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
  const waiting: string[] = [];
  let bytes = 0;
  let allowed = Number.POSITIVE_INFINITY;
  let blocked = false;
  let scheduled = false;
  let stuck: Timer | undefined;
  let ended = false;

  const flush = () => {
    scheduled = false;
    if (response.destroyed) return;
    while (!blocked && waiting.length > 0) {
      const text = waiting.splice(0, linesPerWrite).join('');
      bytes -= text.length;
      blocked = !response.write(text);
    }
    if (blocked) stuck ??= clock.after(behindMs, () => response.destroy());
    else if (ended) response.end();
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
      const line = frame.line();
      waiting.push(line);
      bytes += line.length;
      if (bytes > allowed) return void response.destroy();
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    end() {
      ended = true;
      flush();
    },
  });
  // What the watch begins with may be large; it counts as behind only by what comes on top of it.
  allowed = bytes + behindBytes;
  response.on('close', () => {
    stuck?.cancel();
    if (!ended) watch.close();
  });
  if (response.destroyed) watch.close();
}
