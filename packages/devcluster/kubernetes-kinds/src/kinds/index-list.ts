/**
 * Returns why a string is not a list of indexes below `completions`, such as `0,2-4`; undefined when it is one. In
 * Kubernetes' words.
 */
export function whyNotIndexes(text: string, completions: number): string | undefined {
  let previous = -1;
  for (const part of text.split(',')) {
    const limits = part.split('-');
    if (limits.length > 2) {
      const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
      return `the fragment ${JSON.stringify(part)} ${rule}`;
    }
    for (const limit of limits) {
      if (!/^\d+$/.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
      if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
      if (Number(limit) <= previous) return `non-increasing order, previous: ${previous}, current: ${Number(limit)}`;
      previous = Number(limit);
    }
  }
  return undefined;
}
