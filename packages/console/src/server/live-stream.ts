import type { ServerResponse } from 'node:http';
import { type Clock, sleep } from '@slipway/kube';
import type { Feed } from '../feeds/feed.js';
import { safeJson } from './safe-json.js';

/** So often a page hears that the process is there. */
const beatMs = 10_000;

/** Sends a feed, a JSON document a line, until the page or the process ends. */
export async function liveStream(
  response: ServerResponse,
  feed: Feed,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  response.once('close', end);
  signal.addEventListener('abort', end, { once: true });
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  feed((message) => void response.write(`${safeJson(message)}\n`), ended.signal);
  while (!ended.signal.aborted) {
    await sleep(clock, beatMs, ended.signal).catch(() => {});
    if (!ended.signal.aborted) response.write('{"type":"beat"}\n');
  }
  signal.removeEventListener('abort', end);
  response.end();
}
