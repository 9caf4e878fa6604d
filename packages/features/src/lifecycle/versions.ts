/** Negative when `a` is older than `b`. Understands `1.34`, `v1.34.2` and `1.34.0+local`; what follows the numbers is ignored. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** `1.34` of `v1.34.2+local`. */
export function minorVersion(version: string): string {
  return numbers(version).slice(0, 2).join('.');
}

/** The oldest of some versions. */
export function oldestVersion(versions: readonly string[]): string | undefined {
  return versions.reduce<string | undefined>(
    (oldest, version) => (oldest === undefined || compareVersions(version, oldest) < 0 ? version : oldest),
    undefined,
  );
}

function numbers(version: string): number[] {
  const text = /^v?(\d+(?:\.\d+)*)/.exec(version)?.[1];
  return text === undefined ? [] : text.split('.').map(Number);
}
