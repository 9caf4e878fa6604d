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

/** The oldest and the newest version of several processes; the same unless they are being replaced. */
export interface VersionRange {
  readonly oldest: string;
  readonly newest: string;
}

/** Undefined without versions. */
export function versionRange(versions: readonly string[]): VersionRange | undefined {
  const [oldest, newest] = [...versions]
    .sort(compareVersions)
    .filter((_, at, all) => at === 0 || at === all.length - 1);
  return oldest === undefined ? undefined : { oldest, newest: newest ?? oldest };
}

/**
 * The minor version that a cluster leaves when it goes to `to`: while API servers of two versions run, that of those
 * that are left to be replaced, forward or back. The command and the feature server decide it here alike.
 */
export function versionToLeave({ oldest, newest }: VersionRange, to: string): string {
  const isBack =
    compareVersions(minorVersion(newest), minorVersion(to)) > 0 &&
    compareVersions(minorVersion(oldest), minorVersion(to)) >= 0;
  return minorVersion(isBack ? newest : oldest);
}

function numbers(version: string): number[] {
  const text = /^v?(\d+(?:\.\d+)*)/.exec(version)?.[1];
  return text === undefined ? [] : text.split('.').map(Number);
}
