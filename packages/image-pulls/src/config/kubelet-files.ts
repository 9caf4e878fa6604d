import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@slipway/safe-yaml';
import { errorMessage } from '../cri/error-message.js';
import { type KubeletPullFields, kubeletLimit } from './kubelet-limit.js';
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
  'imageServiceEndpoint',
  'containerRuntimeEndpoint',
] as const satisfies readonly (keyof KubeletPullFields)[];

/**
 * Reads the pull settings as a kubelet puts them together: its file, then its drop-ins, each overwriting what it sets,
 * then its flag. Files are YAML or JSON.
 * @throws KubeletFileError
 */
export function readKubeletFiles(files: KubeletFiles): KubeletPullFields {
  const { config, configDir, serializeImagePulls } = files;
  let merged = config === '' ? {} : fieldsOf(config);
  if (configDir !== '') merged = { ...merged, serializeImagePulls: serializeBefore(merged) };
  for (const path of dropInsOf(configDir)) merged = { ...merged, ...fieldsOf(path) };
  return serializeImagePulls === undefined ? merged : { ...merged, serializeImagePulls };
}

/**
 * A kubelet fills in defaults before it reads drop-ins (seen with 1.37), so that one with maxParallelImagePulls alone
 * meets the default of serializeImagePulls.
 */
function serializeBefore(fields: KubeletPullFields): unknown {
  return fields.serializeImagePulls ?? kubeletLimit(fields).serialize;
}

function fieldsOf(path: string): KubeletPullFields {
  const document = documentOf(path);
  return Object.fromEntries(fields.filter((name) => name in document).map((name) => [name, document[name]]));
}

/**
 * The drop-ins of a folder in the order in which a kubelet reads them: every `*.conf`, those of folders inside where the
 * name of the folder stands.
 * @throws KubeletFileError
 */
export function dropInsOf(folder: string): readonly string[] {
  if (folder === '') return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return dropInsOf(path);
      return entry.name.endsWith('.conf') ? [path] : [];
    });
  } catch (error) {
    if (error instanceof KubeletFileError) throw error;
    throw new KubeletFileError(`${folder}: ${errorMessage(error)}`, { cause: error });
  }
}

function documentOf(path: string): Record<string, unknown> {
  try {
    const document = valuesOf(readFileSync(path, 'utf8')) ?? {};
    if (typeof document !== 'object' || Array.isArray(document)) throw new TypeError('is not a KubeletConfiguration');
    const { kind } = document as { kind?: unknown };
    if (kind !== undefined && kind !== 'KubeletConfiguration') throw new TypeError(`is a ${String(kind)}`);
    return document as Record<string, unknown>;
  } catch (error) {
    throw new KubeletFileError(`${path}: ${errorMessage(error)}`, { cause: error });
  }
}

/** YAML reads most JSON, but not tabs. */
function valuesOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text);
  }
}
