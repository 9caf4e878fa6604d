import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import type { ByteLink } from './byte-link.js';
import { Inbox } from './inbox.js';
import { type SpdyStream, serveSpdy } from './spdy-connection.js';

/** Which of its streams a client wants to have. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Protocols of sessions over a WebSocket, best first: those without a version tell of a failure in words. */
export const channelProtocols: readonly string[] = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
];

/** Over a WebSocket: the first byte of a message says which stream it is of; with base64 it is a digit, and text follows. */
export function channelSession(link: ByteLink, protocol: string): Terminal {
  const gone = new AbortController();
  const input = new Inbox();
  const isText = protocol.includes('base64');
  let size: Terminal['size'];
  const send = (channel: number, bytes: Uint8Array) =>
    link.send(
      isText
        ? Buffer.from(`${channel}${Buffer.from(bytes).toString('base64')}`)
        : Buffer.concat([Buffer.of(channel), bytes]),
    );
  link.listen(
    (message) => {
      const channel = isText ? Number(String.fromCharCode(message[0] ?? 0)) : message[0];
      const bytes = isText ? Buffer.from(message.toString('latin1', 1), 'base64') : message.subarray(1);
      if (channel === channels.stdin) input.push(bytes);
      if (channel === channels.resize) size = sizeIn(bytes) ?? size;
      if (channel === channels.close && bytes[0] === channels.stdin) input.end();
    },
    () => {
      input.end();
      gone.abort();
    },
  );
  return {
    gone: gone.signal,
    listen: (onBytes, onEnd) => input.listen(onBytes, onEnd),
    stdout: (bytes) => send(channels.stdout, bytes),
    stderr: (bytes) => send(channels.stderr, bytes),
    get size() {
      return size;
    },
    finish(status) {
      const isInWords = !protocol.startsWith('v');
      if (!isInWords) send(channels.error, Buffer.from(JSON.stringify(status)));
      else if (status.status !== 'Success') send(channels.error, Buffer.from(status.message ?? ''));
      link.close();
    },
  };
}

/** Over SPDY: each stream says what it is of. Resolves when all are there that were asked for. */
export function spdySession(link: ByteLink, wanted: WantedStreams): Promise<Terminal> {
  const gone = new AbortController();
  const input = new Inbox();
  const streams = new Map<string, SpdyStream>();
  const { stdin, stdout, stderr, tty } = wanted;
  const needed = Object.entries({ error: true, stdin, stdout, stderr: stderr && !tty, resize: tty });
  let size: Terminal['size'];
  const session: Terminal = {
    gone: gone.signal,
    listen: (onBytes, onEnd) => input.listen(onBytes, onEnd),
    stdout: (bytes) => streams.get('stdout')?.write(bytes),
    stderr: (bytes) => streams.get('stderr')?.write(bytes),
    get size() {
      return size;
    },
    finish(status) {
      streams.get('error')?.write(Buffer.from(JSON.stringify(status)));
      for (const stream of streams.values()) stream.end();
    },
  };
  return new Promise((resolve) => {
    serveSpdy(link, {
      onStream(stream) {
        const type = stream.headers.streamtype ?? '';
        streams.set(type, stream);
        if (type === 'stdin')
          stream.listen(
            (bytes) => input.push(bytes),
            () => input.end(),
          );
        if (type === 'resize')
          stream.listen(
            (bytes) => {
              size = sizeIn(bytes) ?? size;
            },
            () => {},
          );
        if (needed.every(([name, isWanted]) => !isWanted || streams.has(name))) resolve(session);
      },
      onEnd() {
        input.end();
        gone.abort();
      },
    });
  });
}

function sizeIn(bytes: Buffer): Terminal['size'] {
  try {
    const { Width, Height } = JSON.parse(bytes.toString());
    return Number.isInteger(Width) && Number.isInteger(Height) ? { Width, Height } : undefined;
  } catch {
    return undefined;
  }
}
