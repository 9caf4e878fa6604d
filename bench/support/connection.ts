import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/**
 * A connection that posts JSON, one request after the other.
 *
 * It knows just enough HTTP for that. Node's own client takes as much CPU as the
 * server behind it, and on a small machine that time is missing to what is measured.
 */
export interface Connection {
  /** Resolves with the status once the whole answer is there. Rejects when the connection breaks. */
  post(path: string, body: string): Promise<number>;
  close(): void;
}

/** Opens a connection to `url`; over TLS when it says https. */
export function openConnection(url: string, tls: ConnectionOptions = {}): Promise<Connection> {
  const { protocol, hostname: host, port, host: authority } = new URL(url);
  return new Promise((resolve, reject) => {
    const ready = () => resolve(overSocket(socket, authority));
    const address = { host, port: Number(port) };
    const socket = protocol === 'https:' ? connectTls({ ...address, ...tls }, ready) : connectTcp(address, ready);
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

function overSocket(socket: Socket, authority: string): Connection {
  let received = '';
  let answered: ((status: number) => void) | undefined;
  let broken: ((error: Error) => void) | undefined;
  // Latin-1: one character is one byte, so that lengths agree.
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received = received === '' ? text : received + text;
    if (!isWhole(received)) return;
    const status = Number(received.slice(9, 12));
    received = '';
    answered?.(status);
  });
  socket.on('error', (error) => broken?.(error));
  socket.on('close', () => broken?.(new Error('the server closed the connection')));
  return {
    post(path, body) {
      const head = `POST ${path} HTTP/1.1\r\nhost: ${authority}\r\ncontent-type: application/json\r\n`;
      return new Promise((resolve, reject) => {
        answered = resolve;
        broken = reject;
        socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      });
    },
    close: () => void socket.destroy(),
  };
}

/** Whether the text is a whole answer: its body counted, or in chunks of which the last is empty. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end + 2))?.[1];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= end + 4 + Number(length);
}
