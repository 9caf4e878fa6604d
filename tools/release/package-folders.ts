import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of all packages, relative to the root of the repository: those in `packages` and in `packages/devcluster`. */
export function packageFolders(repository: string): string[] {
  return ['packages', 'packages/devcluster']
    .flatMap((parent) => readdirSync(join(repository, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(repository, folder, 'package.json')))
    .sort();
}
