import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Server } from 'node:net';
import { passedSocket } from '../config/pulls-settings.js';
import { bindSocket, checkSocketPath, ListenError, type SocketFile } from './unix-listener.js';

export interface ListenOptions {
  /** Replaces a socket at which another process answers. */
  readonly takeOver?: boolean;
  /** Called when a connection could not be accepted, for example because too many files are open. Open ones live on. */
  readonly onAcceptError?: (error: Error) => void;
  /** Where systemd says what it passes on. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * A server and the address it listens at: `fd:3`, the path of a unix socket, or `HOST:PORT`. It can stop listening while
 * its connections live on, and listen again.
 */
export class Listener {
  readonly #server: Server;
  readonly #address: string;
  readonly #options: ListenOptions;
  #file: SocketFile | undefined;
  #binding = false;

  constructor(server: Server, address: string, options: ListenOptions = {}) {
    this.#server = server;
    this.#address = address;
    this.#options = options;
    const { onAcceptError = () => {} } = options;
    server.on('error', (error) => {
      if (!this.#binding) onAcceptError(error);
    });
    server.on('drop', () => onAcceptError(new Error(`${server.maxConnections} connections are open already`)));
  }

  get address(): string {
    return this.#address;
  }

  /** Whether a TCP port must be free before another process can listen there, which a path and `fd:3` need not be. */
  get isExclusive(): boolean {
    return this.#address !== passedSocket && !this.#address.startsWith('/');
  }

  /** Finds what is wrong with the address without listening. @throws ListenError */
  async check(): Promise<void> {
    await this.#orListenError(async () => {
      if (this.#address.startsWith('/')) await checkSocketPath(this.#address, this.#options.takeOver === true);
      else if (this.#address === passedSocket) this.#checkPassed();
    });
  }

  /** @throws ListenError */
  async listen(): Promise<void> {
    await this.#listen(this.#options.takeOver === true);
  }

  /** Accepts no more connections, and removes its socket file unless another process has replaced that. */
  stop(): void {
    this.#file?.remove();
    this.#file = undefined;
    // Not the method of an HTTP server, which would end connections, too.
    if (this.#server.listening) Server.prototype.close.call(this.#server);
  }

  /**
   * Listens again where it stopped, or where another process put its own socket; `byForce` also where that answers.
   * @throws ListenError for a socket that systemd holds, too, once it was given up.
   */
  async resume(byForce: boolean): Promise<void> {
    if (this.#server.listening && (!this.#address.startsWith('/') || this.#file?.isOurs() === true)) return;
    if (this.#address === passedSocket) throw new ListenError(`${passedSocket} was given up`);
    this.stop();
    await this.#listen(byForce);
  }

  async #listen(byForce: boolean): Promise<void> {
    this.#server.maxConnections = Math.max(minConnections, openFilesLimit() - reservedFiles);
    await this.#orListenError(async () => {
      if (this.#address === passedSocket) {
        this.#checkPassed();
        await this.#bind({ fd: 3 });
      } else if (this.#address.startsWith('/')) {
        this.#file = await bindSocket(this.#address, byForce, (path) => this.#bind({ path, backlog: 4_096 }));
      } else {
        const colon = this.#address.lastIndexOf(':');
        const host = this.#address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
        await this.#bind({ host, port: Number(this.#address.slice(colon + 1)) });
      }
    });
  }

  #checkPassed(): void {
    const { LISTEN_FDS } = this.#options.env ?? process.env;
    if (Number(LISTEN_FDS) >= 1) return;
    throw new ListenError(`no socket is passed as ${this.#address}: start it by its systemd socket`);
  }

  async #bind(target: ListenTarget): Promise<void> {
    this.#binding = true;
    try {
      const listening = once(this.#server, 'listening');
      this.#server.listen(target);
      await listening;
    } finally {
      this.#binding = false;
    }
  }

  async #orListenError(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (error instanceof ListenError) throw error;
      throw new ListenError(`cannot listen at ${this.#address}: ${reasonOf(error as Error)}`, { cause: error });
    }
  }
}

type ListenTarget =
  | { readonly fd: number }
  | { readonly path: string; readonly backlog: number }
  | { readonly host: string; readonly port: number };

/** Why an address cannot be used, in words. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  return reasons[error.code ?? ''] ?? error.message;
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use by another process',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'permission denied',
  ENOTFOUND: 'that host is not known',
  ENOTDIR: 'a part of the path is not a directory',
  ELOOP: 'a part of the path is a symbolic link that leads in a circle',
  EROFS: 'the file system is read-only',
};

const minConnections = 16;
/** For everything that is not a connection of a client. */
const reservedFiles = 64;

/**
 * How many files this process may have open. Beyond it the platform closes new connections without a word, which is
 * worse than our own limit below it, of which people hear.
 */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
