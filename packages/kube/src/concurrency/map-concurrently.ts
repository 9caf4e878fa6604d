/**
 * Calls `work` for each item, in order, at most `limit` at a time; the results have the order of the items. After the
 * first failure it begins no other item, and rejects with that failure once the calls under way have settled.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (const [at, item] of queue) {
      if (failure) return;
      try {
        results[at] = await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure) throw failure.error;
  return results;
}
