/** What a process says by its exit code; the same for every command, as grep, diff and kubectl diff have it. */
export const exit = {
  /** Yes, or done. */
  ok: 0,
  /** The answer is no: findings, blocked, does not fit, already running. */
  no: 1,
  /** Wrong usage, or input that cannot be read. */
  usage: 2,
  /** Not known: incomplete data, or the time to wait is over. */
  unknown: 3,
  /** The cluster refused, or cannot be reached. */
  cluster: 4,
  /** Unexpected: a bug of ours. */
  bug: 5,
  /** Ended by Ctrl-C, as shells count it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exit)[keyof typeof exit];

/** A command cannot go on. People see the message on one line, then the hint behind `To fix:`. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: ExitCode;
  readonly hint: string | undefined;

  constructor(code: ExitCode, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.hint = hint;
  }
}

export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Why the signal of an invocation aborted: Ctrl-C, a request to end, or a terminal that was closed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly by: EndSignal;

  constructor(by: EndSignal) {
    super(`ended by ${by}`);
    this.by = by;
  }
}
