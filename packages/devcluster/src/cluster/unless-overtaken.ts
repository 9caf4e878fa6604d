import { hasReason } from '@slipway/kube';

/** Waits for a write that another API server may be making as well. */
export async function unlessOvertaken(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'Conflict')) throw error;
  }
}
