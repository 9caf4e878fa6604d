/**
 * Does one step after the other, in the order asked for, whatever becomes of those
 * before. Each step's outcome goes to who asked for it.
 */
export function inTurn(): <T>(step: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const done = last.then(step);
    last = done.catch(() => {});
    return done;
  };
}
