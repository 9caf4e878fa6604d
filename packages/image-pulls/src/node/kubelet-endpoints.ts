import { dirname, join, relative } from 'node:path';
import { type FileChange, InstallRefusedError, type NodeFiles } from './file-change.js';
import { withYamlKey, YamlKeyError, yamlKey } from './yaml-key.js';

/** Where a kubelet reads its configuration. */
export interface KubeletPlaces {
  readonly kubeletConfig: string;
  /** The folder of its drop-ins; empty when it has none. */
  readonly kubeletConfigDir: string;
}

/** A kubelet reads drop-ins in the order of their names, and the last one wins. */
const ownDropIn = '99-slipway-pulls.conf';

/**
 * The endpoint that a kubelet has now, ours left out; undefined when nothing sets one.
 * @throws InstallRefusedError
 */
export function endpointOf(places: KubeletPlaces, files: NodeFiles, name: string): string | undefined {
  const others = [places.kubeletConfig, ...dropInsOf(places, files).filter((path) => path !== ownPath(places))];
  return others
    .map((path) => keyOf(path, textOf(path, files), name))
    .findLast((value) => value !== undefined && value !== '');
}

/**
 * Sets endpoints of a kubelet: in its file or, where it has drop-ins, in one of our own.
 * @throws InstallRefusedError
 */
export function withEndpoints(
  places: KubeletPlaces,
  files: NodeFiles,
  names: readonly string[],
  value: string,
): FileChange {
  const { kubeletConfig, kubeletConfigDir } = places;
  if (kubeletConfigDir === '') return withKeys(kubeletConfig, textOf(kubeletConfig, files), names, value);
  const path = ownPath(places);
  for (const later of dropInsOf(places, files).filter((other) => isLater(other, path))) {
    const name = names.find((each) => keyOf(later, textOf(later, files), each) !== undefined);
    if (name === undefined) continue;
    throw new InstallRefusedError(
      `${later} sets ${name}, and a kubelet reads it after ${ownDropIn}`,
      `remove ${name} from it, or give it a name that comes before`,
    );
  }
  const after = [
    'apiVersion: kubelet.config.k8s.io/v1beta1',
    'kind: KubeletConfiguration',
    ...names.map((name) => `${name}: ${value}`),
  ];
  return { path, before: files.read(path), after: `${after.join('\n')}\n`, keys: [] };
}

/** Sets keys at the top of another program's file. @throws InstallRefusedError */
export function withKeys(path: string, before: string, names: readonly string[], value: string): FileChange {
  const keys = names.map((key) => ({ key, before: keyOf(path, before, key), after: value }));
  const after = names.reduce((changed, key) => withYamlKey(changed, key, value), before);
  return { path, before, after, keys };
}

function dropInsOf({ kubeletConfigDir }: KubeletPlaces, files: NodeFiles): readonly string[] {
  return kubeletConfigDir === '' ? [] : files.dropIns(kubeletConfigDir);
}

function ownPath({ kubeletConfigDir }: KubeletPlaces): string {
  return join(kubeletConfigDir, ownDropIn);
}

function isLater(path: string, own: string): boolean {
  const [name = ''] = relative(dirname(own), path).split('/');
  return name > ownDropIn;
}

function textOf(path: string, files: NodeFiles): string {
  const text = files.read(path);
  if (text !== undefined) return text;
  throw new InstallRefusedError(`${path} does not exist`, 'name the kubelet’s file with --kubelet-config');
}

function keyOf(path: string, text: string, key: string): string | undefined {
  try {
    return yamlKey(text, key);
  } catch (error) {
    if (!(error instanceof YamlKeyError)) throw error;
    const message = `${path} cannot be changed so that it can be undone: ${error.message}`;
    throw new InstallRefusedError(message, `correct it, or set ${key} there by hand`, { cause: error });
  }
}
