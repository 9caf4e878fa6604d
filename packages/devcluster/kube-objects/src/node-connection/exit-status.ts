import type { Status } from '@slipway/kube';

/** The Status that tells a client the exit code of its command. */
export function exitStatus(code: number): Partial<Status> {
  if (code === 0) return { metadata: {}, status: 'Success' } as Partial<Status>;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  } as Partial<Status>;
}
