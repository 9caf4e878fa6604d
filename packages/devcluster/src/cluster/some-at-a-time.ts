/**
 * Does something for each item, in order, for `atOnce` of them at a time. Rejects with the first failure; what has not
 * begun by then does not begin.
 */
export async function someAtATime<T>(items: readonly T[], atOnce: number, act: (item: T) => Promise<void>) {
  const left = items.values();
  let isFailed = false;
  const work = async () => {
    for (const item of left) {
      if (isFailed) return;
      await act(item).catch((error: unknown) => {
        isFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
}
