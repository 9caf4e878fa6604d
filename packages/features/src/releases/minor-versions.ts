import { compareVersions, minorVersion } from '../lifecycle/versions.js';

/** `1.33` of `v1.34.2`. */
export function minorBefore(version: string): string {
  const [major, minor] = parts(version);
  return `${major}.${Math.max(0, minor - 1)}`;
}

/** Returns the number of minor versions from one to another; negative when `to` is older. */
export function minorsApart(from: string, to: string): number {
  return parts(to)[1] - parts(from)[1];
}

/** Every minor version on the way, without the one that it starts at: `1.35 1.36` from 1.34 to 1.36. */
export function minorsBetween(from: string, to: string): readonly string[] {
  const [major, minor] = parts(from);
  const direction = Math.sign(compareVersions(minorVersion(to), minorVersion(from)));
  return Array.from(
    { length: Math.abs(minorsApart(from, to)) },
    (_, index) => `${major}.${minor + direction * (index + 1)}`,
  );
}

function parts(version: string): [number, number] {
  const [major = 0, minor = 0] = minorVersion(version).split('.').map(Number);
  return [major, minor];
}
