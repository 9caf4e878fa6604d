/** Why a cluster cannot start, in one word. */
export type ClusterStartReason =
  | 'AlreadyRunning'
  | 'BadOption'
  | 'DataDamaged'
  | 'DataTooNew'
  | 'DataUnusable'
  | 'KubeconfigUnreadable'
  | 'PortInUse';

/**
 * A cluster cannot start, for a reason its user can do something about. Nothing
 * was changed that the next attempt would stumble over.
 */
export class ClusterStartError extends Error {
  override readonly name = 'ClusterStartError';
  readonly reason: ClusterStartReason;
  /** What to do about it. */
  readonly hint: string;
  /** 1 when such a cluster runs already, 2 when what was asked for cannot be used. */
  readonly exitCode: 1 | 2;

  constructor(reason: ClusterStartReason, message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.hint = hint;
    this.exitCode = reason === 'AlreadyRunning' ? 1 : 2;
  }
}

/** The `code` of an error of the operating system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
