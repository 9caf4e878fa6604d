let ending: Promise<void> | undefined;

/**
 * Resolves for all callers, one right after the other, when this tick of the event loop has handled all its input.
 *
 * That is the best time to write to many sockets: waking a waiting receiver is the slowest part of a write, and
 * receivers that are still busy with the previous write need not be woken.
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
