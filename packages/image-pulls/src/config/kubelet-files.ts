import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@slipway/safe-yaml';
import type { KubeletPullFields } from './kubelet-limit.js';
import type { KubeletFiles } from './pulls-settings.js';

/** A file that should hold a KubeletConfiguration and cannot be used. The message starts with its path. */
export class KubeletFileError extends Error {
  override readonly name = 'KubeletFileError';
}

const fields = [
  'serializeImagePulls',
  'maxParallelImagePulls',
  'maxParallelImagePulling',
  'registryPullQPS',
  'registryBurst',
] as const;

/**
 * Reads the pull settings as a kubelet puts them together: its file, then `*.conf` of
 * its drop-in folder in the order of their names, each overwriting what it sets, then its flag.
 * @throws KubeletFileError
 */
export function readKubeletFiles(files: KubeletFiles): KubeletPullFields {
  const paths = [files.config, ...dropIns(files.configDir)].filter((path) => path !== '');
  const merged: Record<string, unknown> = {};
  for (const path of paths) {
    const document = documentOf(path);
    for (const name of fields) if (name in document) merged[name] = document[name];
  }
  const { serializeImagePulls } = files;
  return serializeImagePulls === undefined ? merged : { ...merged, serializeImagePulls };
}

function dropIns(folder: string): readonly string[] {
  if (folder === '') return [];
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.conf'));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    throw new KubeletFileError(`${folder}: ${messageOf(error)}`, { cause: error });
  }
}

function documentOf(path: string): Record<string, unknown> {
  try {
    const document = parseYaml(readFileSync(path, 'utf8')) ?? {};
    if (typeof document !== 'object' || Array.isArray(document)) throw new TypeError('is no KubeletConfiguration');
    const { kind } = document as { kind?: unknown };
    if (kind !== undefined && kind !== 'KubeletConfiguration') throw new TypeError(`is a ${String(kind)}`);
    return document as Record<string, unknown>;
  } catch (error) {
    throw new KubeletFileError(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
