/** Says of an index whether the value there stands before it in the list, too. Looks through the list once, however long it is. */
export function repeatsIn(values: readonly unknown[]): (index: number) => boolean {
  const seen = new Set<unknown>();
  const repeated = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) repeated.add(index);
    else seen.add(value);
  }
  return (index) => repeated.has(index);
}
