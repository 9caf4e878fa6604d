/** The one of `allowed` that `typed` is, or is a slip of the fingers away from; undefined when there is none. */
export function nearest<T extends string>(typed: string, allowed: Iterable<T>): T | undefined {
  const lower = typed.trim().toLowerCase();
  const words = [...allowed];
  const exact = words.find((each) => each === lower);
  if (exact !== undefined) return exact;
  let best: T | undefined;
  let bestDistance = 3;
  for (const each of words) {
    if (lower.length < 4 || lower.length > 60 || Math.abs(each.length - lower.length) > 2) continue;
    const distance = editDistance(lower, each, bestDistance);
    if (distance < bestDistance) {
      best = each;
      bestDistance = distance;
    }
  }
  return best;
}

/** The one of `allowed` that `typed` means, whatever the letter case of both; undefined when there is none. */
export function nearestValue(typed: string, allowed: readonly string[]): string | undefined {
  if (allowed.includes(typed)) return typed;
  const byLower = new Map(allowed.map((each) => [each.toLowerCase(), each]));
  return byLower.get(nearest(typed, byLower.keys()) ?? '');
}

/** Letters to add, drop, change or swap to get from one word to the other; `limit` or more when it takes that many. */
function editDistance(one: string, other: string, limit: number): number {
  let before: number[] = [];
  let least = 0;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    const leastBefore = least;
    least = i;
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      next.push(cost);
      least = Math.min(least, cost);
    }
    // A row is made of the two before it.
    if (least >= limit && leastBefore >= limit) return limit;
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
