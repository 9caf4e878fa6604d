import type { Status } from '@slipway/kube';

/** A client at the keyboard of a process. */
export interface Terminal {
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  /** Who is told of what is typed, and, once, that nothing more will be. */
  listen(onBytes: (bytes: Buffer) => void, onEnd: () => void): void;
  stdout(bytes: Uint8Array): void;
  stderr(bytes: Uint8Array): void;
  /** Columns and rows of its screen, as far as it has said. */
  readonly size: { readonly Width: number; readonly Height: number } | undefined;
  /** How the process ended; the connection ends with that. */
  finish(status: Partial<Status>): void;
}
