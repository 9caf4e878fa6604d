import { connect, type Socket } from 'node:net';

/** QEMU refused a command. `reason` is QEMU's class of error, for example `DeviceNotActive`. */
export class QmpError extends Error {
  override readonly name = 'QmpError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Maximum length of a line, in bytes. */
const maxLineBytes = 1024 * 1024;

/**
 * A connection to QEMU's monitor on a unix socket, in the QEMU Machine Protocol: one JSON
 * object per line, a greeting first, then an answer per command and events between them.
 */
export class QmpConnection {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<Message>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = messages(socket);
  }

  /** Connects, waits for the greeting and agrees on no capabilities. @throws Error, QmpError */
  static async open(path: string, signal: AbortSignal): Promise<QmpConnection> {
    const socket = connect({ path, signal });
    const connection = new QmpConnection(socket);
    try {
      const greeting = await connection.#next();
      if (!('QMP' in greeting)) throw new Error(`${path} does not greet as a QEMU monitor does`);
      await connection.execute('qmp_capabilities');
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Runs one command; commands are not to overlap. @throws QmpError when QEMU refuses, Error when it goes away. */
  async execute(command: string, args?: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.#socket.write(`${JSON.stringify({ execute: command, ...(args && { arguments: args }) })}\n`);
    for (;;) {
      const message = await this.#next();
      if (message.error) throw new QmpError(message.error.class, message.error.desc);
      if ('return' in message) return message.return;
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  async #next(): Promise<Message> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the monitor closed the connection');
    return value;
  }
}

interface Message {
  readonly QMP?: unknown;
  readonly return?: unknown;
  readonly error?: { readonly class: string; readonly desc: string };
}

async function* messages(socket: Socket): AsyncGenerator<Message, undefined> {
  let rest = '';
  socket.setEncoding('utf8');
  for await (const chunk of socket) {
    rest += chunk;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineBytes) throw new Error('the monitor sends no end of line');
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
  }
  return undefined;
}
