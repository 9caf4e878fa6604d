import type { Call, Core } from '../core/core.js';

/**
 * Does a write. What it is refused because of may still be on its way to the disk: the refusal waits for that, so that
 * whoever reads the object next sees why, and does not try the same again in vain.
 */
export async function refusingVisibly<T>(
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
