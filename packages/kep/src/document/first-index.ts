/** Returns the index of the first item that `isPast`, or the number of items; all items behind it must be, too. */
export function firstIndex<T>(items: readonly T[], isPast: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
