/** `Status` of meta/v1: how the API says that something failed, or that a delete succeeded. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The `Status` of a request that failed. */
export function failureStatus(parts: Pick<Status, 'code' | 'reason' | 'message' | 'details'>): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...parts };
}

/** The API refused a request. `reason` and `code` are those of the `Status`. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? `HTTP ${status.code ?? 0}`, options);
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 0;
  }

  get reason(): string {
    return this.status.reason ?? 'Unknown';
  }
}

/** Whether `error` is a refusal with this `Status` reason, for example `NotFound` or `Conflict`. */
export function hasReason(error: unknown, reason: string): error is StatusError {
  return error instanceof StatusError && error.reason === reason;
}
