import { type PullsConfiguration, pullsSettings } from '../config/pulls-configuration.js';
import type { PullsSettings } from '../config/pulls-settings.js';
import type { Log } from './record-keeper.js';

/** Where the settings of a daemon come from. */
export interface SettingsSource {
  /** What the flags say; wins over the file, also after a reload. */
  readonly flags: PullsConfiguration;
  /** Path of a PullsConfiguration. */
  readonly config?: string | undefined;
}

/**
 * Reads the file, if there is one, and fills in flags and defaults. Loads the YAML reader only when there is something to read.
 * @throws ConfigurationError
 */
export async function settingsOf({ flags, config }: SettingsSource): Promise<PullsSettings> {
  if (config === undefined) return pullsSettings(flags);
  const { readConfigurationFile } = await import('../config/settings-files.js');
  const written = readConfigurationFile(config);
  return pullsSettings({ ...written, ...flags, onFull: { ...written.onFull, ...flags.onFull } });
}

/** @throws ConfigurationError */
export async function limitOf(
  { limit, kubelet }: PullsSettings,
  log: Log,
): Promise<{ readonly limit: number; readonly source: string }> {
  if (limit !== 'fromKubelet') return { limit, source: 'configuration' };
  const { readKubeletLimit } = await import('../config/settings-files.js');
  const read = readKubeletLimit(kubelet);
  if (read.warning !== undefined) log({ msg: 'kubelet configuration', warning: read.warning });
  return { limit: read.limit, source: kubelet.config };
}

/** Settings that were changed and hold only from the next start on. */
export function needsStart(now: PullsSettings, next: PullsSettings): { readonly fromNextStart?: readonly string[] } {
  const fixed = ['listen', 'runtime', 'services', 'admin', 'metrics', 'journal', 'sharing', 'kubelet'] as const;
  const changed = fixed.filter((key) => JSON.stringify(now[key]) !== JSON.stringify(next[key]));
  return changed.length > 0 ? { fromNextStart: changed } : {};
}

/** The files to follow. */
export function watched({ config }: SettingsSource, { limit, kubelet }: PullsSettings): readonly string[] {
  const paths = config === undefined ? [] : [config];
  return limit === 'fromKubelet' ? [...paths, kubelet.config, kubelet.configDir].filter((path) => path !== '') : paths;
}
