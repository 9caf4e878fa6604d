import { chmodSync, lstatSync, renameSync, rmSync, type Stats } from 'node:fs';
import { connect, type Server } from 'node:net';

/** A socket path that cannot be used. The message says why, for people. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** One byte is left for the name that the socket has until it is ready. */
const longestPath = 106;

/**
 * Makes a server listen at a path with mode 0600. The socket appears ready, by a
 * rename, so no client meets it half made. A dead socket is replaced; one that
 * answers is left alone except to take over, and anything that is no socket always.
 * @returns what takes the path away again, unless somebody else has it by then.
 * @throws ListenError
 */
export async function listenAt(
  server: Server,
  path: string,
  options: { readonly takeOver?: boolean } = {},
): Promise<() => void> {
  const bytes = Buffer.byteLength(path);
  if (bytes > longestPath)
    throw new ListenError(`${path} has ${bytes} bytes, and a socket path ${longestPath} at most`);
  const there = statOf(path);
  if (there && !there.isSocket()) throw new ListenError(`${path} is there and is no socket`);
  if (there && !options.takeOver && (await answers(path))) throw new ListenError(`somebody listens at ${path} already`);
  const making = `${path}~`;
  if (statOf(making)?.isSocket()) rmSync(making);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(`cannot listen at ${path}: ${error.message}`)));
    server.listen({ path: making, backlog: 4_096 }, resolve);
  });
  chmodSync(making, 0o600);
  renameSync(making, path);
  const made = statOf(path);
  return () => {
    if (statOf(path)?.ino === made?.ino) rmSync(path, { force: true });
  };
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const say = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => say(true));
    socket.once('error', () => say(false));
  });
}
