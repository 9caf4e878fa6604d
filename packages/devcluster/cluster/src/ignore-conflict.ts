import { hasReason } from '@slipway/kube';

/** Waits for a write and ignores that another API server made the same one first. */
export async function ignoreConflict(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'Conflict')) throw error;
  }
}
