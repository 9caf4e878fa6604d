import { createServer } from 'node:net';
import { ClusterStartError, systemCode } from './cluster-start-error.js';

/**
 * Refuses an address that cannot be listened on, before anything else is touched.
 * @throws ClusterStartError PortInUse or BadOption
 */
export async function requireListenable(bind: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, bind, resolve);
    });
  } catch (error) {
    throw listenError(error, bind, port);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Turns an error of `listen` into one for people. */
export function listenError(cause: unknown, bind: string, port: number): unknown {
  switch (systemCode(cause)) {
    case 'EADDRINUSE':
      return new ClusterStartError('PortInUse', `port ${port} is in use`, 'use another one, or --port 0 for any', {
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return badAddress(`${bind} is not an address of this machine`, cause);
    case 'EACCES':
      return badAddress(`this user may not listen on port ${port}`, cause);
    case 'ERR_SOCKET_BAD_PORT':
      return badAddress(`${port} is not a port`, cause);
    default:
      return cause;
  }
}

function badAddress(message: string, cause: unknown): ClusterStartError {
  return new ClusterStartError('BadOption', message, 'try 127.0.0.1 and --port 0', { cause });
}
