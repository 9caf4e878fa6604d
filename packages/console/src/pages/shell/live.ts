import { useEffect, useState } from 'preact/hooks';
import type { FeedMessage } from '../../feeds/feed.js';
import type { Problem } from '../../feeds/problem.js';
import { readLines } from './read-lines.js';
import { SignedOutError, send } from './session.js';

/** The connection of the page to the process that serves it. */
export type Connection = 'opening' | 'live' | 'lost' | 'signed-out';

const listeners = new Set<(connection: Connection) => void>();
let current: Connection = 'opening';

/** Says how the connection is, from whatever request that was seen. */
export function connectionIs(connection: Connection): void {
  if (connection === current) return;
  current = connection;
  for (const listener of [...listeners]) listener(connection);
}

/** The connection of this page, as it is now. */
export function useConnection(): Connection {
  const [connection, setConnection] = useState(current);
  useEffect(() => {
    setConnection(current);
    listeners.add(setConnection);
    return () => void listeners.delete(setConnection);
  }, []);
  return connection;
}

/** A process that says nothing for as long is not there any more. */
const silentMs = 25_000;
const shortestWaitMs = 300;
const longestWaitMs = 3_000;

/** Follows a feed until `signal` aborts, however often the process goes away and comes back. */
async function follow(path: string, receive: (message: FeedMessage) => void, signal: AbortSignal): Promise<void> {
  let waitMs = shortestWaitMs;
  while (!signal.aborted) {
    const attempt = new AbortController();
    const end = () => attempt.abort();
    signal.addEventListener('abort', end);
    try {
      const response = await send(path, { signal: attempt.signal });
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      connectionIs('live');
      waitMs = shortestWaitMs;
      await receiveAll(response.body, attempt, receive);
      throw new Error('the stream ended');
    } catch (error) {
      if (signal.aborted) return;
      connectionIs(error instanceof SignedOutError ? 'signed-out' : 'lost');
    } finally {
      signal.removeEventListener('abort', end);
      attempt.abort();
    }
    await pause(waitMs, signal);
    waitMs = Math.min(longestWaitMs, waitMs * 2);
  }
}

async function receiveAll(
  body: ReadableStream<Uint8Array>,
  attempt: AbortController,
  receive: (message: FeedMessage) => void,
): Promise<void> {
  const giveUp = () => setTimeout(() => attempt.abort(), silentMs);
  let silence = giveUp();
  const alive = () => {
    clearTimeout(silence);
    silence = giveUp();
  };
  try {
    await readLines(body, (line) => receive(JSON.parse(line) as FeedMessage), alive);
  } finally {
    clearTimeout(silence);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Follows a feed while a page is looked at: a tab in the background takes no connection. */
function whileVisible(path: string, receive: (message: FeedMessage) => void): () => void {
  let following: AbortController | undefined;
  const settle = () => {
    if (document.hidden) {
      following?.abort();
      following = undefined;
    } else if (!following) {
      following = new AbortController();
      void follow(path, receive, following.signal);
    }
  };
  settle();
  document.addEventListener('visibilitychange', settle);
  return () => {
    document.removeEventListener('visibilitychange', settle);
    following?.abort();
  };
}

/** Rows of a table as they are now; undefined until the first are there. */
export interface LiveRows<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly problem?: Problem | undefined;
}

/** The last state of each feed, shown at once when a page is opened again. */
const remembered = new Map<string, LiveRows<unknown> | LiveDocument<unknown>>();

/** Follows the rows of a feed. */
export function useRows<Row extends { readonly key: string }>(path: string): LiveRows<Row> {
  const [live, setLive] = useState<LiveRows<Row>>(() => (remembered.get(path) as LiveRows<Row>) ?? { rows: undefined });
  useEffect(() => {
    const byKey = new Map<string, Row>();
    let now: LiveRows<Row> = (remembered.get(path) as LiveRows<Row>) ?? { rows: undefined };
    setLive(now);
    return whileVisible(path, (message) => {
      if (message.type === 'rows') {
        if (message.isWhole) byKey.clear();
        for (const row of message.set as readonly Row[]) byKey.set(row.key, row);
        for (const key of message.gone) byKey.delete(key);
        now = { ...now, rows: [...byKey.values()] };
      } else if (message.type === 'problem') now = { ...now, problem: message.problem };
      else return;
      remembered.set(path, now);
      setLive(now);
    });
  }, [path]);
  return live;
}

/** A document as it is now; undefined until it is there. */
export interface LiveDocument<T> {
  readonly document: T | undefined;
  readonly problem?: Problem | undefined;
}

/** Follows a document. */
export function useDocument<T>(path: string): LiveDocument<T> {
  const [live, setLive] = useState<LiveDocument<T>>({ document: undefined });
  useEffect(() => {
    let now: LiveDocument<T> = (remembered.get(path) as LiveDocument<T>) ?? { document: undefined };
    setLive(now);
    return whileVisible(path, (message) => {
      if (message.type === 'document') now = { ...now, document: message.document as T };
      else if (message.type === 'problem') now = { ...now, problem: message.problem };
      else return;
      remembered.set(path, now);
      setLive(now);
    });
  }, [path]);
  return live;
}
