import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/**
 * A connection that sends requests in JSON, one after the other.
 *
 * It knows just enough HTTP for that. Node's own client takes as much CPU as the
 * server behind it, and on a small machine that time is missing to what is measured.
 */
export interface Connection {
  /** Resolves with the status once the whole answer is there. Rejects when the connection breaks. */
  post(path: string, body: string): Promise<number>;
  /** Server-side apply of an object in JSON. */
  apply(path: string, object: string): Promise<number>;
  /** The same for a request without a body. */
  send(method: 'GET' | 'DELETE', path: string, accept?: string): Promise<number>;
  /** What the last answer carried, as Latin-1. */
  readonly body: string;
  close(): void;
}

/** Opens a connection to `url`; over TLS when it says https. Each request carries the token, if there is one. */
export function openConnection(url: string, tls: ConnectionOptions = {}, token?: string): Promise<Connection> {
  const { protocol, hostname: host, port, host: authority } = new URL(url);
  return new Promise((resolve, reject) => {
    const ready = () => resolve(overSocket(socket, authority, token));
    const address = { host, port: Number(port) };
    const socket = protocol === 'https:' ? connectTls({ ...address, ...tls }, ready) : connectTcp(address, ready);
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

function overSocket(socket: Socket, authority: string, token?: string): Connection {
  let received: string[] = [];
  let length = 0;
  let wanted: number | 'chunks' | undefined;
  let body = '';
  let answered: ((status: number) => void) | undefined;
  let broken: ((error: Error) => void) | undefined;
  // Latin-1: one character is one byte, so that lengths agree.
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received.push(text);
    length += text.length;
    wanted ??= lengthOf(received.join(''));
    const isWhole =
      wanted === 'chunks' ? received.slice(-2).join('').endsWith('\r\n0\r\n\r\n') : length >= (wanted ?? Infinity);
    if (!isWhole) return;
    const whole = received.join('');
    body = whole.slice(whole.indexOf('\r\n\r\n') + 4);
    [received, length, wanted] = [[], 0, undefined];
    answered?.(Number(whole.slice(9, 12)));
  });
  socket.on('error', (error) => broken?.(error));
  socket.on('close', () => broken?.(new Error('the server closed the connection')));
  const exchange = (request: string) =>
    new Promise<number>((resolve, reject) => {
      if (socket.destroyed) throw new Error('the server closed the connection while it was idle');
      answered = resolve;
      broken = reject;
      socket.write(request);
    });
  const common = ` HTTP/1.1\r\nhost: ${authority}\r\n${token === undefined ? '' : `authorization: Bearer ${token}\r\n`}`;
  const withBody = (method: string, path: string, type: string, sent: string) =>
    exchange(
      `${method} ${path}${common}content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`,
    );
  return {
    post: (path, sent) => withBody('POST', path, 'application/json', sent),
    apply: (path, sent) => withBody('PATCH', path, 'application/apply-patch+yaml', sent),
    send: (method, path, accept = 'application/json') =>
      exchange(`${method} ${path}${common}accept: ${accept}\r\n\r\n`),
    get body() {
      return body;
    },
    close: () => void socket.destroy(),
  };
}

/** How many bytes the answer has that begins with `text`, as far as its headers are there to tell. */
function lengthOf(text: string): number | 'chunks' | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end + 2))?.[1];
  return length === undefined ? 'chunks' : end + 4 + Number(length);
}
