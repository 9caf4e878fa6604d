/**
 * Resolves once others had their turn: whoever wrote to a socket meanwhile was read, and timers that were due ran.
 *
 * What is asked for while input is handled still runs in that turn of the event loop, as one piece with what was done
 * before it, so it is only the second immediate that others have come before.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
