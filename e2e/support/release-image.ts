import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../../tools/release/app-folder.js';
import { bomOf, licenseList, lockedDependencies } from '../../tools/release/dependencies.js';
import { imageArchive, imageName } from '../../tools/release/image.js';
import { machineLibraries } from '../../tools/release/libraries.js';
import { runningNode } from '../../tools/release/node-binary.js';
import type { ReleaseFile } from '../../tools/release/release-file.js';
import { repository } from './slipway.js';

const version = '0.0.1';
const node = runningNode();

/** Name of the image that `releaseImage` makes. */
export const releaseImageName = `${imageName}:${version}`;

/** The time of everything in the artefacts. */
export const releaseTime = new Date('2026-01-02T03:04:05Z');

/** The command as a release has it, with the Node of this machine. */
export function releasedApp(): ReleaseFile[] {
  const lmdb = `node_modules/@lmdb/lmdb-linux-${node.arch === 'arm64' ? 'arm64' : 'x64'}`;
  return appFolder(repository, { folder: join(repository, lmdb), abi: node.abi });
}

/** The image of a release for this machine, as an OCI image layout in one tar. */
export async function releaseImage(app: readonly ReleaseFile[] = releasedApp()): Promise<Buffer> {
  const dependencies = lockedDependencies(repository).filter(({ isOptional }) => !isOptional);
  const parts = {
    arch: node.arch,
    node: readFileSync(node.path),
    libraries: machineLibraries(node.path),
    app,
    sbom: bomOf(version, dependencies, releaseTime),
    licenses: licenseList(dependencies),
  };
  return await imageArchive([parts], { name: imageName, version, source: 'test', time: releaseTime, level: 1 });
}
