import { connect, createServer, type Socket } from 'node:net';

/** Something between a client and a server that can be cut. */
export interface Relay {
  /** Breaks what is connected now, without a word to either side. */
  cut(): void;
  close(): void;
}

/** Listens at one unix socket and joins every connection to another. */
export async function relay(from: string, to: string): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(from, resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    cut,
    close() {
      cut();
      server.close();
    },
  };
}
