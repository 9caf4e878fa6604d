import { readFileSync } from 'node:fs';
import { parseYaml } from '@slipway/safe-yaml';
import { readKubeletFiles } from './kubelet-files.js';
import { type KubeletLimit, kubeletLimit } from './kubelet-limit.js';
import { ConfigurationError, type PullsConfiguration, readPullsConfiguration } from './pulls-configuration.js';

/**
 * Reads a PullsConfiguration from a file.
 * @throws ConfigurationError whose message starts with the path, and line and column where it is no YAML.
 */
export function readConfigurationFile(path: string): PullsConfiguration {
  try {
    return readPullsConfiguration(parseYaml(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new ConfigurationError(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/**
 * What the configuration of the kubelet on this machine comes to.
 * @throws ConfigurationError when it cannot be read, or means nothing.
 */
export function readKubeletLimit(files: { readonly config: string; readonly configDir: string }): KubeletLimit & {
  readonly limit: number;
} {
  let read: KubeletLimit;
  try {
    read = kubeletLimit(readKubeletFiles(files));
  } catch (error) {
    throw new ConfigurationError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const { limit, problem } = read;
  if (limit === undefined) throw new ConfigurationError(`${files.config}: ${problem}`);
  return { ...read, limit };
}
