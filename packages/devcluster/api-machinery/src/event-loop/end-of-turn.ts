let ending: Promise<void> | undefined;

/**
 * Resolves when this turn of the event loop has handled all its input, for all who wait for it one right after the other.
 *
 * What is written to many sockets is best written then: a write wakes whoever waits at the other end, which takes longer
 * than all the rest of it, and wakes nobody who is still busy with what came just before.
 */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
