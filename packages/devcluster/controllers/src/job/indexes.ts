/** Reads indexes as statuses carry them: `0,2-4`. What is not an index, or not below `completions`, is left out. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of text ? text.split(',') : []) {
    const [first = Number.NaN, last = first] = part.split('-').map(Number);
    for (let index = first; index <= Math.min(last, completions - 1); index++) indexes.add(index);
  }
  return indexes;
}

/** The shortest text for indexes: runs of three and more as `2-4`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const runs: { readonly first: number; last: number }[] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.last === index - 1) run.last = index;
    else runs.push({ first: index, last: index });
  }
  return runs.map(textOf).join(',');
}

function textOf({ first, last }: { readonly first: number; readonly last: number }): string {
  if (first === last) return String(first);
  return `${first}${last === first + 1 ? ',' : '-'}${last}`;
}
