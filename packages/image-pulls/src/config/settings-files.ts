import { readFileSync } from 'node:fs';
import { parseYaml, parseYamlTree, placeOf } from '@slipway/safe-yaml';
import { errorMessage } from '../cri/error-message.js';
import { ConfigurationError } from './configuration-section.js';
import { readKubeletFiles } from './kubelet-files.js';
import { type KubeletLimit, kubeletLimit } from './kubelet-limit.js';
import {
  addressErrors,
  type PullsConfiguration,
  pullsSettings,
  readPullsConfiguration,
} from './pulls-configuration.js';
import type { KubeletFiles } from './pulls-settings.js';

/**
 * Reads a PullsConfiguration from a file.
 * @throws ConfigurationError whose message starts with the path, and the line and column of what is wrong.
 */
export function readConfigurationFile(path: string): PullsConfiguration {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
    // Whoever writes it may have begun with nothing, and no settings at all would be no limit.
    if (text.trim() === '') throw new ConfigurationError('the file is empty');
    const configuration = readPullsConfiguration(parseYaml(text));
    pullsSettings(configuration);
    return configuration;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const place = error instanceof ConfigurationError ? placeOfKeys(text, error.keys) : '';
    throw new ConfigurationError(`${path}: ${place}${error.message}`, { cause: error });
  }
}

/**
 * Finds what is wrong with a PullsConfiguration: each address that cannot be used, and the first error besides. Every
 * problem starts with path, line and column; none means that it can be used.
 */
export function configurationProblems(path: string): readonly string[] {
  try {
    readConfigurationFile(path);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [...new Set([...addressProblems(path), error.message])];
  }
}

function addressProblems(path: string): readonly string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return addressErrors(parseYaml(text)).map(({ keys, message }) => `${path}: ${placeOfKeys(text, keys)}${message}`);
  } catch {
    // It cannot be read at all, which has been reported.
    return [];
  }
}

/** Where a value stands that keys lead to, or the last of them that is there. */
function placeOfKeys(text: string, keys: readonly string[]): string {
  let node = parseYamlTree(text).root;
  let start: number | undefined;
  for (const key of keys) {
    const entry = node?.kind === 'map' ? node.entries.find((one) => one.key.source === key) : undefined;
    if (!entry) break;
    start = entry.value.start;
    node = entry.value;
  }
  if (start === undefined) return '';
  const { line, column } = placeOf(text, start);
  return `line ${line}, column ${column}: `;
}

/**
 * Reads the limit that the configuration of this machine's kubelet results in.
 * @throws ConfigurationError when it cannot be read, or means nothing.
 */
export function readKubeletLimit(files: KubeletFiles): KubeletLimit & { readonly limit: number } {
  let read: KubeletLimit;
  try {
    read = kubeletLimit(readKubeletFiles(files));
  } catch (error) {
    throw new ConfigurationError(errorMessage(error), { cause: error });
  }
  const { limit, problem } = read;
  if (limit === undefined) throw new ConfigurationError(`${files.config}: ${problem}`);
  return { ...read, limit };
}
