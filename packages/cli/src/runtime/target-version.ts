import { kubernetesGates, type UpgradeView } from '@slipway/features';
import { InvalidArgumentError } from 'commander';
import { CommandError, exit } from './exit.js';

/** The oldest version that components are supported at. */
const oldestVersion = 33;

/** Reads `--to`: `v1.35`, `1.35` or `1.35.2`, within what is known. */
export function targetVersion(text: string): string {
  const minor = /^v?1\.(\d{1,3})(?:\.\d+)?$/.exec(text)?.[1];
  if (minor === undefined) throw new InvalidArgumentError('a version looks like v1.35');
  const newest = Number(kubernetesGates.newest.split('.')[1]);
  if (Number(minor) < oldestVersion || Number(minor) > newest) {
    throw new InvalidArgumentError(`gates are known from v1.${oldestVersion} to v1.${newest}`);
  }
  return `1.${Number(minor)}`;
}

/** @throws CommandError when there is no way to go. */
export function refuseSameVersion({ from, to }: UpgradeView): void {
  if (from === to)
    throw new CommandError(exit.usage, `the cluster already runs v${to}`, 'name another version with --to');
}
