import { type ConnectionOptions, connect } from 'node:tls';
import { cpuMicros } from './cluster.js';
import { quantile } from './report.js';

/** An API server that is measured. */
export interface MeasuredServer {
  readonly url: string;
  readonly tls: ConnectionOptions;
  /** What each request carries, where TLS does not say who asks. */
  readonly token?: string;
  /** Its processes, with those that it cannot do without. */
  readonly pids: readonly number[];
}

export interface FanOut {
  /** From the write to the watcher that is told last but one in a hundred; the median of single events. */
  readonly p99Ms: number;
  /** Deliveries in a second, in bursts of events. */
  readonly perSecond: number;
  /** CPU time of the server for one delivery. */
  readonly serverMicros: number;
}

const events = 30;
const burst = 50;

/**
 * Tells watchers, each on a connection of its own, about single events and bursts of them.
 * @param path of the watch, from a version on, so that it begins with nothing
 * @param makeEvents writes so many objects that match it
 */
export async function measureFanOut(
  server: MeasuredServer,
  path: string,
  watchers: number,
  makeEvents: (count: number) => Promise<void>,
): Promise<FanOut> {
  let seen = 0;
  const delays: number[] = [];
  let sentAt = performance.now();
  let wanted = watchers;
  let all = () => {};
  const onEvent = () => {
    seen += 1;
    delays.push(performance.now() - sentAt);
    if (seen === wanted) all();
  };
  const deliveries = async (count: number) => {
    seen = 0;
    wanted = watchers * count;
    delays.length = 0;
    sentAt = performance.now();
    const arrived = new Promise<void>((resolve) => {
      all = resolve;
    });
    await makeEvents(count);
    await arrived;
    return performance.now() - sentAt;
  };
  const open: (() => void)[] = [];
  while (open.length < watchers) {
    const some = Array.from({ length: 20 }, () => openWatch(server, path, onEvent));
    open.push(...(await Promise.all(some)));
  }
  await deliveries(burst);
  const slowest: number[] = [];
  for (let event = 0; event < events; event += 1) {
    await deliveries(1);
    slowest.push(quantile(delays, 0.99));
  }
  const before = cpuOf(server);
  const tookMs: number[] = [];
  for (let round = 0; round < 5; round += 1) tookMs.push(await deliveries(burst));
  const serverMicros = (cpuOf(server) - before) / (5 * burst * watchers);
  for (const close of open) close();
  return {
    p99Ms: quantile(slowest, 0.5),
    perSecond: (burst * watchers * 1_000) / quantile(tookMs, 0.5),
    serverMicros,
  };
}

/** CPU time of a server since it started, in microseconds. */
export function cpuOf({ pids }: MeasuredServer): number {
  return pids.reduce((total, pid) => total + cpuMicros(pid), 0);
}

/** Opens a watch on a connection of its own and resolves once it is answered. Every event is a line. */
function openWatch({ url, tls, token }: MeasuredServer, path: string, onEvent: () => void): Promise<() => void> {
  const { hostname: host, port } = new URL(url);
  const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`;
  return new Promise((resolve, reject) => {
    let before = '';
    const socket = connect({ host, port: Number(port), ...tls }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${authorization}\r\n`);
    });
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (text: string) => {
      if (before === '') resolve(() => void socket.destroy());
      const all = before + text;
      for (let at = all.indexOf('\n', before.length); at >= 0; at = all.indexOf('\n', at + 1)) {
        // Lines of HTTP end with a carriage return before it, those of events do not.
        if (all[at - 1] !== '\r') onEvent();
      }
      before = all.slice(-1);
    });
  });
}
