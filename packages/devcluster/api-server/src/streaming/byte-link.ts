import type { Duplex } from 'node:stream';

/** A connection that carries bytes both ways, whatever is below it. */
export interface ByteLink {
  send(bytes: Uint8Array): void;
  /** Who is told of what comes, and, once, that nothing more will. Must be called before anything is awaited. */
  listen(onBytes: (bytes: Buffer) => void, onEnd: () => void): void;
  /** Ends the connection when all is sent. */
  close(): void;
}

/** A socket that was taken over from HTTP; `head` came with the request. */
export function socketLink(socket: Duplex, head: Buffer): ByteLink {
  return {
    send: (bytes) => void (socket.writable && socket.write(bytes)),
    listen(onBytes, onEnd) {
      socket.on('data', onBytes);
      // The peer has disconnected; the error has no receiver.
      socket.on('error', () => socket.destroy());
      socket.once('close', onEnd);
      socket.once('end', () => socket.end());
      if (head.length > 0) onBytes(head);
    },
    close: () => void socket.end(),
  };
}
