/**
 * Resolves after pending input was read and timers that were due ran.
 *
 * An immediate requested while input is handled still runs in the same tick, before other input is read; only the
 * second one runs after it.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
