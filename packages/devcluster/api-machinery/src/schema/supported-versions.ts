/** Versions of Kubernetes that devcluster can be, oldest first: those that the table of its types has. */
export const supportedVersions: readonly string[] = ['1.34', '1.35', '1.36', '1.37'];

/** The minor version of the newest one. */
export const newestMinor = 37;

/** The minor number of a Kubernetes version: 37 of `1.37` or `1.37.2`. */
export function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

/** What a cluster is when no version is asked for. */
export const defaultVersion = '1.37';
