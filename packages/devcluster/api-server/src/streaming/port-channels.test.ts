import { expect, test } from 'vitest';
import type { ByteLink } from './byte-link.js';
import { portChannels } from './port-channels.js';

/** Channels to ports 80 and 258 over a link in memory: what is sent to the client, and how to be the client. */
function aClient() {
  const sent: number[][] = [];
  const seen = { isClosed: false, isOver: false };
  let feed: (bytes: Buffer) => void = () => {};
  let hangUp = () => {};
  const link: ByteLink = {
    send: (bytes) => void sent.push([...bytes]),
    listen(onBytes, onEnd) {
      feed = onBytes;
      hangUp = onEnd;
    },
    close() {
      seen.isClosed = true;
    },
  };
  const pairs = portChannels(link, [80, 258], () => {
    seen.isOver = true;
  });
  return { pairs, sent, seen, say: (...bytes: number[]) => feed(Buffer.from(bytes)), hangUp: () => hangUp() };
}

/** Names of both ports, little end first, on the channels of data and of errors. */
const names = [
  [0, 80, 0],
  [1, 80, 0],
  [2, 2, 1],
  [3, 2, 1],
];

test('portChannels() names the port on each channel, then carries bytes both ways', () => {
  const { pairs, sent, say } = aClient();
  expect(sent).toEqual(names);
  const heard: number[][] = [];
  say(2, 7);
  pairs[1]?.data.listen(
    (bytes) => void heard.push([...bytes]),
    () => heard.push([]),
  );
  say(2, 8, 9);
  say(0, 1);
  pairs[1]?.data.write(Buffer.of(5));
  pairs[0]?.error.write(Buffer.of(6));
  expect([heard, sent.slice(4)]).toEqual([
    [[7], [8, 9]],
    [
      [2, 5],
      [1, 6],
    ],
  ]);
});

test('portChannels() overhears channels that nobody has', () => {
  const { say, sent } = aClient();
  say(1, 1);
  say(9, 1);
  say();
  expect(sent).toEqual(names);
});

test('portChannels() hangs up after the last connection, and tells of a client that does', () => {
  const { pairs, seen, hangUp } = aClient();
  pairs[0]?.data.end();
  pairs[0]?.data.end();
  expect(seen.isClosed).toBe(false);
  pairs[1]?.data.end();
  hangUp();
  expect(seen).toEqual({ isClosed: true, isOver: true });
});
