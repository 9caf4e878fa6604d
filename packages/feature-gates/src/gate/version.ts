/** A Kubernetes-style version. Gates change with minor versions only, so patch and suffix are carried but never compared. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  /** Whether the text said more than `major.minor`. */
  readonly hasPatch: boolean;
  /** As written, without a leading `v`. */
  readonly text: string;
}

/** What a process pretends to be: which specs apply is decided by these two. */
export interface EffectiveVersion {
  readonly emulation: Version;
  /** Oldest version the process must still work with, one minor below the emulation unless told otherwise. */
  readonly minCompatibility: Version;
}

const pattern = /^v?(\d+)\.(\d+)(.*)$/;

/** Reads `1.34`, `v1.34.2` or `1.34.0-rc.1`. Throws a RangeError for anything else. */
export function parseVersion(text: string): Version {
  const [, major, minor, rest] = pattern.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    throw new RangeError(`not a version: ${JSON.stringify(text)}; expected for example 1.34`);
  }
  return { major: Number(major), minor: Number(minor), hasPatch: rest !== '', text: text.replace(/^v/, '') };
}

/** `major.minor`: what a gate can know of a version. */
export function majorMinor(version: Version): Version {
  return { ...version, hasPatch: false, text: `${version.major}.${version.minor}` };
}

/** Negative, zero or positive, as for `sort`. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor;
}

/** One minor version earlier. There is nothing before x.0, so x.0 stays. */
export function minorBefore(version: Version): Version {
  const minor = Math.max(0, version.minor - 1);
  return { major: version.major, minor, hasPatch: false, text: `${version.major}.${minor}` };
}
