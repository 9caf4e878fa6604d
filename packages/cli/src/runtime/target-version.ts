import { kubernetesGates, type UpgradeView } from '@slipway/features';
import { InvalidArgumentError } from 'commander';
import { CommandError, exit } from './exit.js';

/** The oldest version that components are supported at. */
const oldestVersion = 33;

/** Reads `--to` as `targetVersion` does, or the version after the newest one, of which only some things are known. */
export function targetVersionOrNext(text: string): string {
  return readVersion(text, newestVersion() + 1);
}

/** Reads `--to`: `v1.35`, `1.35` or `1.35.2`, within what is known. */
export function targetVersion(text: string): string {
  return readVersion(text, newestVersion());
}

function readVersion(text: string, newest: number): string {
  const minor = /^v?1\.(\d{1,3})(?:\.\d+)?$/.exec(text)?.[1];
  if (minor === undefined) throw new InvalidArgumentError('a version looks like v1.35');
  if (Number(minor) < oldestVersion || Number(minor) > newest) {
    throw new InvalidArgumentError(`gates are known from v1.${oldestVersion} to v1.${newestVersion()}`);
  }
  return `1.${Number(minor)}`;
}

/** The minor number of the newest version that gates are known of. */
function newestVersion(): number {
  return Number(kubernetesGates.newest.split('.')[1]);
}

/** @throws CommandError when there is no way to go. */
export function refuseSameVersion({ from, to }: UpgradeView): void {
  if (from === to)
    throw new CommandError(exit.usage, `the cluster already runs v${to}`, 'name another version with --to');
}
