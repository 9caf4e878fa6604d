import type { Terminal } from '../../kube-objects/node-connection/terminal.js';
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

/** Over a WebSocket: the first byte of a message says which stream it is of (`v4.channel.k8s.io` and `v5`). */
export function channelSession(link: ByteLink): Terminal {
  const gone = new AbortController();
  const input = new Inbox();
  let size: Terminal['size'];
  const send = (channel: number, bytes: Uint8Array) => link.send(Buffer.concat([Buffer.of(channel), bytes]));
  link.listen(
    (message) => {
      const bytes = message.subarray(1);
      if (message[0] === channels.stdin) input.push(bytes);
      if (message[0] === channels.resize) size = sizeIn(bytes) ?? size;
      if (message[0] === channels.close && bytes[0] === channels.stdin) input.end();
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
      send(channels.error, Buffer.from(JSON.stringify(status)));
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
