/** What `/version` says of a server. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  /** What the server behaves like, and the oldest version it can work beside. */
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/**
 * The version a server claims, from `1.34` or `v1.34.2`. The build says that it
 * is ours, so that it cannot be taken for that of Kubernetes.
 *
 * @throws RangeError when the string is not a version.
 */
export function versionInfo(version: string): VersionInfo {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?$/.exec(version);
  if (!match) throw new RangeError(`${JSON.stringify(version)} is not a Kubernetes version (try 1.34)`);
  const [, major = '', minor = '', patch = '0'] = match;
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Math.max(0, Number(minor) - 1)),
    gitVersion: `v${major}.${minor}.${patch}+slipway.1`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: `node ${process.version}`,
    compiler: 'v8',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
