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
    const distance = editDistance(lower, 0, each, 0, bestDistance);
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

/** Letters to add, drop, change or swap to get from the rest of one word to that of the other; `limit` when it takes that many or more. */
function editDistance(one: string, from: number, other: string, otherFrom: number, limit: number): number {
  let at = from;
  let otherAt = otherFrom;
  while (at < one.length && otherAt < other.length && one.charCodeAt(at) === other.charCodeAt(otherAt)) {
    at++;
    otherAt++;
  }
  const left = one.length - at;
  const otherLeft = other.length - otherAt;
  if (left === 0 || otherLeft === 0) return Math.min(limit, left + otherLeft);
  if (limit <= 1 || Math.abs(left - otherLeft) >= limit) return limit;
  let least = limit - 1;
  least = editDistance(one, at + 1, other, otherAt + 1, least);
  least = editDistance(one, at + 1, other, otherAt, least);
  least = editDistance(one, at, other, otherAt + 1, least);
  const isSwapped =
    left > 1 &&
    otherLeft > 1 &&
    one.charCodeAt(at) === other.charCodeAt(otherAt + 1) &&
    one.charCodeAt(at + 1) === other.charCodeAt(otherAt);
  if (isSwapped) least = editDistance(one, at + 2, other, otherAt + 2, least);
  return least + 1;
}
