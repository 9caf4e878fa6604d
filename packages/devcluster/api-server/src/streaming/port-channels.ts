import type { ByteLink } from './byte-link.js';
import { Inbox } from './inbox.js';
import type { SpdyStream } from './spdy-connection.js';

/** The two streams of a connection to a port: what is said, and why nothing can be said. */
export interface PortStreams {
  readonly data: Pick<SpdyStream, 'write' | 'end' | 'listen'>;
  readonly error: Pick<SpdyStream, 'write' | 'end'>;
}

/**
 * Connections to ports over the channels of a WebSocket (`v4.channel.k8s.io`), as clients ask for that have no SPDY: the first
 * byte of a message says the channel. Each port has two, data and error, which begin with its number. One connection to each
 * port is all there is; the WebSocket ends with the last of them.
 */
export function portChannels(link: ByteLink, ports: readonly number[], onEnd: () => void): readonly PortStreams[] {
  const inboxes = ports.map(() => new Inbox());
  const open = new Set(ports.keys());
  link.listen(
    (message) => inboxes[(message[0] ?? 0) / 2]?.push(message.subarray(1)),
    () => {
      for (const inbox of inboxes) inbox.end();
      onEnd();
    },
  );
  const channel = (number: number) => (bytes: Uint8Array) => link.send(Buffer.concat([Buffer.of(number), bytes]));
  return inboxes.map((inbox, at) => {
    const [data, error] = [channel(2 * at), channel(2 * at + 1)];
    const name = Buffer.alloc(2);
    name.writeUInt16LE(ports[at] ?? 0);
    data(name);
    error(name);
    const end = () => {
      if (open.delete(at) && open.size === 0) link.close();
    };
    return {
      data: { write: data, end, listen: (onBytes, onDone) => inbox.listen(onBytes, onDone) },
      // Its end cannot be told apart from that of the data.
      error: { write: error, end() {} },
    };
  });
}
