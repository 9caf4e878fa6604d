import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import type { WatchSink } from '../request/request.js';
import { watchWriter } from './watch-writer.js';

/** A client that reads when told to. */
class SlowClient extends Writable {
  readonly received: string[] = [];
  #pending: (() => void) | undefined;
  reads = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.received.push(chunk.toString());
    if (this.reads) done();
    else this.#pending = done;
  }

  flushHeaders(): void {}

  read(): void {
    this.reads = true;
    this.#pending?.();
  }
}

function aStream(initial = 0) {
  const clock = new ManualClock();
  const client = new SlowClient();
  client.on('error', () => {});
  let sink: WatchSink | undefined;
  let closed = false;
  const line = (text: string) => ({ type: 'ADDED', line: () => `${text}\n`, object: () => ({}) });
  watchWriter(
    {
      kind: 'watch',
      open: (opened) => {
        sink = opened;
        if (initial > 0) sink.event(line('x'.repeat(initial)));
        return {
          close: () => {
            closed = true;
          },
        };
      },
    },
    client as unknown as ServerResponse,
    clock,
  );
  return {
    clock,
    client,
    send: (text: string) => sink?.event(line(text)),
    end: () => sink?.end(),
    isClosed: () => closed,
  };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('watchWriter() writes the events of one turn together', async () => {
  const { client, send } = aStream();
  client.reads = true;
  for (const text of ['a', 'b', 'c']) send(text);
  await turn();
  expect(client.received).toEqual(['a\nb\nc\n']);
});

test('watchWriter() writes lines that take long to make one a turn', async () => {
  let ms = 0;
  const client = new SlowClient();
  client.reads = true;
  const slow = (text: string) => ({
    type: 'ADDED',
    object: () => ({}),
    line() {
      ms += 10;
      return `${text}\n`;
    },
  });
  const open = (sink: WatchSink) => {
    for (const text of ['a', 'b', 'c']) sink.event(slow(text));
    return { close() {} };
  };
  const clock = Object.assign(new ManualClock(), { machineMs: () => ms });
  watchWriter({ kind: 'watch', open }, client as unknown as ServerResponse, clock);
  for (let turns = 0; turns < 3; turns++) await turn();
  expect(client.received).toEqual(['a\n', 'b\n', 'c\n']);
});

test('watchWriter() cuts off a client that is 4 MiB behind, and tells the watch', async () => {
  const { client, send, isClosed } = aStream();
  send('x'.repeat(100));
  await turn();
  send('x'.repeat(4 * 1024 * 1024));
  await turn();
  expect([client.destroyed, isClosed()]).toEqual([true, true]);
});

test('watchWriter() cuts off a client that reads nothing for 30 seconds', async () => {
  const { clock, client, send } = aStream();
  send('x'.repeat(100_000));
  await turn();
  await clock.advance(29_000);
  expect(client.destroyed).toBe(false);
  await clock.advance(1_000);
  expect(client.destroyed).toBe(true);
});

test('watchWriter() lets a client take its time with a large beginning', async () => {
  const { clock, client, send, end } = aStream(10 * 1024 * 1024);
  send('later');
  await turn();
  await clock.advance(20_000);
  expect(client.destroyed).toBe(false);
  client.read();
  end();
  await turn();
  expect(client.received.join('').endsWith('later\n')).toBe(true);
  expect(client.writableEnded).toBe(true);
});

test('watchWriter() makes the lines that a watch begins with when it writes them, a few in each turn', async () => {
  const client = new SlowClient();
  client.reads = true;
  const made: number[] = [];
  watchWriter(
    {
      kind: 'watch',
      open: (sink) => {
        for (let at = 0; at < 1_000; at++) {
          sink.event({
            type: 'ADDED',
            line: () => {
              made.push(at);
              return `${at}\n`;
            },
            object: () => ({}),
          });
        }
        sink.end();
        return { close: () => {} };
      },
    },
    client as unknown as ServerResponse,
    new ManualClock(),
  );
  const perTurn: number[] = [];
  while (!client.writableEnded) {
    const before = made.length;
    await new Promise(setImmediate);
    perTurn.push(made.length - before);
  }
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(128);
  expect(client.received.join('')).toBe(Array.from({ length: 1_000 }, (_, at) => `${at}\n`).join(''));
});
