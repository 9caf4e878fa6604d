import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { adminClient, defaultQueueSettings, emptyQueue, type QueueEvent, step } from '@slipway/image-pulls';
import { type CriClient, criClient } from '@slipway/image-pulls/testing';
import { end, residentMegabytes } from './support/cluster.js';
import { type Measured, quantile, report } from './support/report.js';

/**
 * What a limiter in front of a runtime costs: calls through it beside the same calls without it, in the same run,
 * with the runtime in a process of its own. The runtime answers at once; its pulls are held, or come over a link that
 * they share.
 */
const calls = Number(process.env.BENCH_CALLS ?? 4_000);
const entry = fileURLToPath(new URL('../../packages/cli/dist/commands/pulls/serve-entry.js', import.meta.url));
const serveProgram = `import { servePulls } from ${JSON.stringify(entry)}; process.exit(await servePulls(process.argv.slice(1)));`;
const runtimeProgram = fileURLToPath(new URL('./support/pulls-runtime.js', import.meta.url));
const path = '/runtime.v1.ImageService/ListImages';
const message = Buffer.alloc(60);
const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, 60]), message]);

await measure();

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
  const paths = { runtime: join(folder, 'runtime.sock'), listen: join(folder, 'image.sock') };
  const runtime = await ready(spawn(process.execPath, [runtimeProgram, paths.runtime]));
  const starts: number[] = [];
  const start = async (listen: string, ...more: string[]) => {
    const startedAtMs = performance.now();
    const flags = ['--runtime', paths.runtime, '--listen', listen, ...(more.length > 0 ? more : ['--limit', '4'])];
    const child = await ready(spawn(process.execPath, ['--input-type=module', '-e', serveProgram, '--', ...flags]));
    starts.push(performance.now() - startedAtMs);
    return child;
  };
  const daemons = [await start(paths.listen)];
  for (let more = 0; more < 4; more += 1) daemons.push(await start(`${paths.listen}-${more}`));
  // The last one has only started so far.
  const fresh = daemons.at(-1)?.pid ?? 0;
  const idle = residentMegabytes(fresh);
  const clients = { direct: criClient(paths.runtime), proxied: criClient(paths.listen) };
  const rows: Measured[] = [
    ...(await latency(clients)),
    ...(await throughput(paths)),
    {
      what: 'start to listening',
      unit: 'ms',
      value: quantile(starts.slice(0, 5), 0.5),
      anchor: goal(150),
      better: 'less',
    },
    { what: 'memory, idle', unit: 'MB', value: idle, anchor: goal(60), better: 'less' },
  ];
  const kubelet = criClient(`${paths.listen}-3`);
  for (let index = 0; index < 1_004; index += 1) kubelet.pull(`registry.example/image-${index}:1`);
  const admin = adminClient(`${paths.listen}-3.admin`);
  // Looking at a thousand pulls costs memory too, so not too often.
  for (let waiting = 0; waiting < 1_000; waiting = (await admin.state()).waiting.length) await setTimeout(500);
  const waiting = residentMegabytes(fresh);
  rows.push({ what: 'memory, 1,000 waiting', unit: 'MB', value: waiting, anchor: goal(110), better: 'less' }, decide());
  clients.direct.close();
  clients.proxied.close();
  kubelet.close();
  for (const limit of ['2', '0']) daemons.push(await start(`${paths.listen}-link-${limit}`, '--limit', limit));
  rows.push(await saturatedLink(`${paths.listen}-link-`));
  const listen = `${paths.listen}-handed`;
  const takeOver = async () => daemons.push(await start(listen, '--limit', '2', '--take-over'));
  await takeOver();
  rows.push(...(await handOvers(listen, takeOver)));
  for (const daemon of daemons) daemon.kill('SIGKILL');
  await end(runtime);
  rmSync(folder, { recursive: true, force: true });
  report('pulls', rows);
}

interface Clients {
  readonly direct: CriClient;
  readonly proxied: CriClient;
}

/** One call at a time, by turns, so that both see the same machine. */
async function latency({ direct, proxied }: Clients): Promise<Measured[]> {
  const took = { direct: [] as number[], proxied: [] as number[] };
  for (let call = 0; call < calls + 500; call += 1) {
    for (const [name, client] of [
      ['direct', direct],
      ['proxied', proxied],
    ] as const) {
      const startedAtMs = performance.now();
      await client.call(path, message).result;
      if (call >= 500) took[name].push(performance.now() - startedAtMs);
    }
  }
  return [0.5, 0.99].map((q) => ({
    what: `added latency, p${q * 100}`,
    unit: 'ms',
    value: quantile(took.proxied, q) - quantile(took.direct, q),
    anchor: { name: 'the call itself', value: quantile(took.direct, q) },
    better: 'less',
  }));
}

/** 32 calls in flight over one connection, without a gRPC library, which would cost more than the limiter. */
async function throughput({ runtime, listen }: { runtime: string; listen: string }): Promise<Measured[]> {
  const perSecond = async (socket: string) => {
    const session = connect('http://localhost', { createConnection: () => connectSocket(socket) });
    const once = () =>
      new Promise<void>((resolve, reject) => {
        const call = session.request(
          { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
          { endStream: false },
        );
        call.resume().once('end', resolve).once('error', reject);
        call.end(framed);
      });
    let left = calls * 5;
    const startedAtMs = performance.now();
    const client = async () => {
      for (; left > 0; left -= 1) await once();
    };
    await Promise.all(Array.from({ length: 32 }, client));
    session.close();
    return (calls * 5_000) / (performance.now() - startedAtMs);
  };
  await perSecond(listen);
  const anchor = { name: 'direct', value: await perSecond(runtime) };
  const value = await perSecond(listen);
  return [
    { what: 'calls, 32 in flight', unit: '/s', value, anchor, better: 'more' },
    { what: 'calls, beside its goal', unit: '/s', value, anchor: goal(5_000), better: 'more' },
  ];
}

/** Ten equal images asked for at once over a link that they share: how long until an image is there, on average. */
async function saturatedLink(listen: string): Promise<Measured> {
  const meanMs = async (limit: string) => {
    const client = criClient(`${listen}${limit}`);
    const startedAtMs = performance.now();
    const took = Array.from({ length: 10 }, async (_, index) => {
      const { code } = await client.pull(`registry.example/link/${index}:1`).result;
      if (code !== 0) throw new Error(`a pull ended with code ${code}`);
      return performance.now() - startedAtMs;
    });
    const all = await Promise.all(took);
    client.close();
    return all.reduce((sum, ms) => sum + ms, 0) / all.length;
  };
  const value = await meanMs('2');
  const anchor = { name: 'without a limit', value: await meanMs('0') };
  return { what: 'mean time to 10 equal images on a full link, limit 2', unit: 'ms', value, anchor, better: 'less' };
}

/** Calls from eight clients and pulls that run and wait, while one daemon after the other takes over. */
async function handOvers(listen: string, takeOver: () => Promise<unknown>): Promise<Measured[]> {
  const rounds = 5;
  const client = criClient(listen);
  for (let index = 0; index < 4; index += 1) client.pull(`registry.example/held-${index}:1`);
  let [failed, longestMs, lastMs, going] = [0, 0, performance.now(), true];
  const load = Array.from({ length: 8 }, async () => {
    while (going) {
      const { code } = await client.call(path, message).result;
      if (code !== 0) failed += 1;
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    }
  });
  const longest: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    longestMs = 0;
    await takeOver();
    longest.push(longestMs);
  }
  going = false;
  await Promise.all(load);
  client.close();
  return [
    { what: `failed calls in ${rounds} hand-overs`, unit: '', value: failed, better: 'less' },
    { what: 'longest gap of a hand-over', unit: 'ms', value: quantile(longest, 0.5), anchor: goal(50), better: 'less' },
  ];
}

/** What deciding costs while 1,000 wait: a place gets free and is given on, and a call arrives. */
function decide(): Measured {
  let queue = emptyQueue(4, { ...defaultQueueSettings, maxWaiting: 10_000 });
  const caller = (id: number) => ({
    id,
    askedAtMs: id,
    giveUpAtMs: Infinity,
    limit: 0,
    lookEveryMs: 0,
    nextLookAtMs: id,
  });
  const hear = (happened: QueueEvent, nowMs: number) => {
    queue = step(queue, happened, nowMs).queue;
  };
  let next = 0;
  const ask = () => {
    next += 1;
    const image = `image-${next}`;
    const asked = {
      kind: 'asked',
      key: image,
      image,
      registry: 'r',
      presence: 'absent',
      caller: caller(next),
    } as const;
    hear(asked, next);
  };
  while (queue.waiting.length < 1_000) ask();
  const took: number[] = [];
  for (let round = 0; round < 3_000; round += 1) {
    const startedAtMs = performance.now();
    hear({ kind: 'ended', pullId: queue.running[0]?.id ?? 0 }, next);
    ask();
    took.push(((performance.now() - startedAtMs) / 2) * 1_000);
  }
  return { what: 'step with 1,000 waiting', unit: 'us', value: quantile(took, 0.5), anchor: goal(50), better: 'less' };
}

function goal(value: number): { name: string; value: number } {
  return { name: 'goal', value };
}

function ready(child: ChildProcess): Promise<ChildProcess> {
  child.stderr?.resume();
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
    child.stdout?.once('data', () => resolve(child));
  });
}
