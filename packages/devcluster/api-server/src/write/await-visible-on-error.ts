import type { Call, Core } from '../core/core.js';

/**
 * Runs a write. If it fails, waits until the write it conflicted with is visible, so that the client's next read
 * shows the cause.
 */
export async function awaitVisibleOnError<T>(
  core: Core,
  { definition, namespace, name }: Call,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    await core.store.visible(definition.storedAs, namespace, name);
    throw error;
  }
}
