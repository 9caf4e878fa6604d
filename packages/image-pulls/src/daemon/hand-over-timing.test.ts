import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { PullLimiter } from '../limiter/pull-limiter.js';
import { OpenPulls } from '../proxy/open-pulls.js';
import type { UnaryAnswer } from '../runtime/unary-call.js';
import { eventually } from '../testing/eventually.js';
import { StepClock } from '../testing/step-clock.js';
import { testFolder } from '../testing/test-folder.js';
import { giveOver } from './give-over.js';
import { takeOver } from './take-over.js';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

/** An admin socket that gives each hand-over to `serve`. */
async function admin(serve: (connection: Duplex) => void): Promise<string> {
  const path = join(folder, 'admin.sock');
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  server.on('upgrade', (_, connection) => {
    onTestFinished(() => void connection.destroy());
    serve(connection);
  });
  await once(server, 'listening');
  return path;
}

const accepted = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: slipway-hand-over\r\n\r\n';
const limiter = () => new PullLimiter<UnaryAnswer>({ limit: 1 });

test('a new daemon that takes too long is told so, and the old one listens again when that has let go', async () => {
  const clock = new StepClock();
  const did: string[] = [];
  const old = limiter();
  let isOver: Promise<boolean> | undefined;
  let toNew: Duplex | undefined;
  const path = await admin((connection) => {
    toNew = connection;
    connection.write(accepted);
    isOver = giveOver(connection, {
      limiter: old,
      openPulls: new OpenPulls(),
      clock,
      byHand: () => ({ paused: false }),
      release: () => did.push('release'),
      leave: () => did.push('leave'),
      async restore(byForce) {
        did.push(`restore ${byForce}`);
        return true;
      },
    });
  });
  const taking = await takeOver(path, new StepClock());
  await taking?.attach(limiter(), () => {});
  await clock.advance(30_000);
  const why = 'the old daemon serves on, because taking over took too long';
  // By now it may have put its sockets in place of those of the old one.
  await expect(taking?.commit()).rejects.toThrow(why);
  await expect(taking?.release()).rejects.toThrow(why);
  expect([did, toNew?.writableEnded]).toEqual([[], false]);
  const started = old.pull(
    {
      key: 'a',
      image: 'a',
      registry: 'r',
      presence: 'absent',
      onFull: { mode: 'wait' },
      limit: 0,
      run: async () => answer,
    },
    new AbortController().signal,
  );
  expect(await started).toBe(answer);
  taking?.close();
  expect(await isOver).toBe(false);
  expect(did).toEqual(['restore true']);
});

const answer: UnaryAnswer = { headers: undefined, body: Buffer.alloc(0), trailers: { 'grpc-status': '0' } };

test.each([
  ['before it has agreed', () => {}],
  ['after it has agreed', (connection: Duplex) => void connection.write(accepted)],
])('an old daemon that hangs %s keeps its place', async (_, serve) => {
  const clock = new StepClock();
  let isAsked = false;
  const path = await admin((connection) => {
    isAsked = true;
    serve(connection);
  });
  const taken = takeOver(path, clock).then((taking) => taking?.attach(limiter(), () => {}));
  const failed = expect(taken).rejects.toThrow('does not answer');
  await eventually('it is asked', () => isAsked);
  await eventually('it is over', async () => {
    await clock.advance(10_000);
    return await Promise.race([failed.then(() => true), clock.advance(0).then(() => false)]);
  });
});

test.each([[undefined], [[]], [[{ podUid: 'u', pod: 'shop/web' }, {}]]])(
  'a waiting pull with the callers %j is started once',
  async (callers) => {
    const pull = { image: 'a', registry: 'r', presence: 'absent', limit: 0, askedAtMs: 0, callers };
    const told = [
      { say: 'state', nowMs: 0, byHand: { paused: false } },
      { say: 'running', ids: [] },
      { say: 'waiting', id: 'pull 1', pull },
      { say: 'told' },
    ];
    let heard = '';
    const path = await admin((connection) => {
      connection.write(accepted);
      connection.on('data', (chunk) => {
        heard += String(chunk);
        if (heard === '{"say":"take"}\n') for (const message of told) connection.write(`${JSON.stringify(message)}\n`);
      });
    });
    const taking = await takeOver(path, new StepClock());
    await taking?.attach(limiter(), () => {});
    await eventually('it is started', () => heard.includes('start'));
    taking?.close();
    expect(heard).toBe('{"say":"take"}\n{"say":"start","id":"pull 1"}\n');
  },
);
