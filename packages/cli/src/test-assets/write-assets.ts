import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { CommandError, exit } from '../runtime/exit.js';
import { assets } from './serve-asset.js';

const marker = '# Written by slipway dev assets.';

/** A folder for `KUBEBUILDER_ASSETS`. */
export interface AssetFolder {
  /** Absolute. */
  readonly path: string;
  readonly programs: readonly string[];
}

/**
 * Writes launchers called `kube-apiserver` and `etcd` that run this very program, and a link to kubectl if one is on
 * `searchPath`. Launchers of an earlier call are replaced.
 * @param program words that start this program, such as `node` and its script
 * @param version Kubernetes version of the kube-apiserver
 * @throws CommandError when the folder cannot be written, or holds another program of these names
 */
export function writeAssets(
  folder: string,
  {
    program,
    version,
    searchPath,
  }: { readonly program: readonly string[]; readonly version: string; readonly searchPath: string },
): AssetFolder {
  const path = resolve(folder);
  for (const asset of assets) requireOurs(join(path, asset));
  try {
    mkdirSync(path, { recursive: true });
    for (const asset of assets) {
      const words = [...program, 'dev', 'serve-asset', asset, version].map(quoted).join(' ');
      writeFileSync(join(path, asset), `#!/bin/sh\n${marker}\nexec ${words} "$@"\n`, { mode: 0o755 });
    }
    const kubectl = join(path, 'kubectl');
    const found = programOnPath('kubectl', searchPath, path);
    if (found === undefined) return { path, programs: assets };
    if (!existsSync(kubectl)) {
      // A link whose target was removed.
      rmSync(kubectl, { force: true });
      symlinkSync(found, kubectl);
    }
    return { path, programs: [...assets, 'kubectl'] };
  } catch (cause) {
    throw new CommandError(
      exit.usage,
      `cannot write to ${path}: ${(cause as Error).message}`,
      'name a folder that you can write',
      { cause },
    );
  }
}

/** Programs that others put there, such as those of setup-envtest, are not overwritten. */
function requireOurs(file: string): void {
  if (!existsSync(file) || readFileSync(file, 'latin1').split('\n')[1] === marker) return;
  throw new CommandError(exit.no, `${file} is another program`, 'name another folder, or remove the file');
}

function programOnPath(name: string, searchPath: string, except: string): string | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '' && resolve(folder) !== except);
  return folders.map((folder) => resolve(folder, name)).find((file) => existsSync(file));
}

function quoted(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
