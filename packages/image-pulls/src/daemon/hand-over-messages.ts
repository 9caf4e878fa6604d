import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { CallingPod } from '../limiter/pull-ask.js';
import type { Presence } from '../limiter/queue-state.js';
import type { RuntimeLimit } from './chosen-limit.js';

/** The path at the admin socket, and the protocol that the connection is switched to. */
export const handOverPath = '/hand-over';
export const handOverProtocol = 'slipway-hand-over';

/** What was set in the daemon that hands over, since it read its configuration. */
export interface RuntimeSettings {
  readonly paused: boolean;
  readonly manual?: RuntimeLimit;
  readonly cluster?: RuntimeLimit;
}

/** A waiting pull. `askedAtMs` is by the clock of the daemon that hands over. */
export interface HandedPull {
  readonly image: string;
  readonly registry: string;
  readonly presence: Presence;
  readonly limit: number;
  readonly askedAtMs: number;
  /** Pods of its callers; absent from older daemons, and empty when their connection is lost. */
  readonly callers?: readonly CallingPod[];
}

/** From the daemon that hands over. */
export type FromOld =
  | { readonly say: 'state'; readonly nowMs: number; readonly byHand: RuntimeSettings }
  /** These take places: pulls of this daemon, and of the one that it took over from. */
  | { readonly say: 'running'; readonly ids: readonly string[] }
  | { readonly say: 'waiting'; readonly id: string; readonly pull: HandedPull }
  /** A pull has ended, or its callers left. */
  | { readonly say: 'over'; readonly id: string }
  /** Everything so far was sent. */
  | { readonly say: 'told' }
  /** TCP ports are free. */
  | { readonly say: 'released' }
  /** Nothing is listened at here any more. */
  | { readonly say: 'yours' }
  /** The new daemon took too long: this one serves on, and listens again when the connection is closed. */
  | { readonly say: 'withdrawn' };

/** From the daemon that takes over. */
export type FromNew =
  | { readonly say: 'take' }
  | { readonly say: 'release' }
  | { readonly say: 'commit' }
  | { readonly say: 'start'; readonly id: string }
  | { readonly say: 'deny'; readonly id: string; readonly reason: string };

const maxLineLength = 1 << 20;

/** One JSON object a line. */
export interface MessageLine<Sent> {
  say(message: Sent): void;
  close(): void;
}

/**
 * Speaks lines over a connection, which it closes when a line cannot be read.
 * @param onClosed Called once.
 */
export function messageLine<Sent, Received>(
  socket: Duplex,
  hear: (message: Received) => void,
  onClosed: () => void,
): MessageLine<Sent> {
  socket.on('error', () => {});
  socket.once('close', onClosed);
  // An HTTP server leaves its side open.
  socket.once('end', () => socket.destroy());
  let rest = '';
  const decoder = new StringDecoder();
  socket.on('data', (chunk: Buffer) => {
    const lines = `${rest}${decoder.write(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = parsed(line);
      if (message === undefined) socket.destroy();
      if (socket.destroyed) return;
      hear(message as Received);
    }
    if (rest.length > maxLineLength) socket.destroy();
  });
  return {
    say(message) {
      if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
    },
    close: () => void socket.end(() => socket.destroy()),
  };
}

function parsed(line: string): object | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && 'say' in message ? message : undefined;
  } catch {
    return undefined;
  }
}
