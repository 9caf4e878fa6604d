/** The feature cannot be turned as it was asked. */
export class ChangeRefusedError extends Error {
  override readonly name = 'ChangeRefusedError';
  readonly reason:
    | 'NoDefinition'
    | 'Locked'
    | 'NotDynamic'
    | 'DisableUnsupported'
    | 'CannotRun'
    | 'NothingToApprove'
    | 'NothingToClean'
    | 'NothingToRetry';
  /** What to do about it, where that is known. */
  readonly fix: string | undefined;

  constructor(reason: ChangeRefusedError['reason'], message: string, fix?: string) {
    super(message);
    this.reason = reason;
    this.fix = fix;
  }
}
