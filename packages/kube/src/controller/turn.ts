/** What goes on without waiting for anything may do so for this long before others have their turn. */
const longestMs = 8;

let beganMs: number | undefined;

/**
 * Something to wait for when this turn of the event loop has lasted 8 ms; undefined before. Work that happens to need no
 * answer from anybody would otherwise keep everybody waiting until all of it is done.
 */
export function restAfterLongTurn(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (beganMs === undefined) {
    beganMs = nowMs;
    setImmediate(() => {
      beganMs = undefined;
    });
    return undefined;
  }
  return nowMs - beganMs < longestMs ? undefined : new Promise((resolve) => setImmediate(resolve));
}
