import type { Status } from '@slipway/kube';
import { exitStatus } from '@slipway/kube-objects/node-connection/exit-status';
import { expect, test } from 'vitest';
import { channelSession } from './remote-session.js';

/** A client that types `in`, and what it is sent: `hi` on standard output, and how the command ended. */
async function session(protocol: string, typed: Buffer, status: Partial<Status>) {
  const sent: Buffer[] = [];
  let hear = (_: Buffer) => {};
  const terminal = channelSession(
    {
      send: (bytes) => void sent.push(Buffer.from(bytes)),
      listen: (onBytes) => {
        hear = onBytes;
      },
      close: () => {},
    },
    protocol,
  );
  let input = '';
  terminal.listen(
    (bytes) => {
      input += bytes;
    },
    () => {},
  );
  hear(typed);
  terminal.stdout(Buffer.from('hi'));
  terminal.finish(status);
  return { input, sent: sent.map(String) };
}

const failed = exitStatus(3);
// protocol | what is typed | how it ends | what is sent
test.each([
  ['v5.channel.k8s.io', '\0in', exitStatus(0), ['\x01hi', `\x03${JSON.stringify(exitStatus(0))}`]],
  ['v4.channel.k8s.io', '\0in', failed, ['\x01hi', `\x03${JSON.stringify(failed)}`]],
  [
    'v4.base64.channel.k8s.io',
    '0aW4=',
    failed,
    ['1aGk=', `3${Buffer.from(JSON.stringify(failed)).toString('base64')}`],
  ],
  ['channel.k8s.io', '\0in', exitStatus(0), ['\x01hi']],
  ['channel.k8s.io', '\0in', failed, ['\x01hi', `\x03${failed.message}`]],
  ['base64.channel.k8s.io', '0aW4=', exitStatus(0), ['1aGk=']],
])('channelSession() speaks %s', async (protocol, typed, status, sent) => {
  expect(await session(protocol, Buffer.from(typed), status)).toEqual({ input: 'in', sent });
});
