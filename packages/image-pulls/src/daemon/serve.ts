import { unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:net';
import { createFeatureGate } from '@slipway/feature-gates';
import { type PullsConfiguration, pullsSettings } from '../config/pulls-configuration.js';
import type { PullsSettings } from '../config/pulls-settings.js';
import type { PullRecord } from '../limiter/pull-record.js';
import { PullMetrics } from '../metrics/pull-metrics.js';
import { adminServer, metricsServer } from './admin-server.js';
import { handOverPath, handOverProtocol, takeOver } from './hand-over.js';
import { type PullDaemon, startPullDaemon } from './pull-daemon.js';
import { listenAt } from './unix-listener.js';

export interface ServeOptions {
  /** What the flags say; wins over the file, also after a reload. */
  readonly flags: PullsConfiguration;
  /** Path of a PullsConfiguration. */
  readonly config?: string | undefined;
  /** `--feature-gates`: with `ParallelImagePullLimit=false` nothing is limited. */
  readonly featureGates?: string | undefined;
  /** Takes over from the daemon that listens there now, if there is one. */
  readonly takeOver?: boolean | undefined;
  /** Gets one object for each thing worth a log line. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

/** A daemon with all that people see of it. */
export interface Serving {
  readonly settings: PullsSettings;
  readonly daemon: PullDaemon;
  /** Reads the configuration again. What is wrong with it is logged, and the old one stays. */
  reload(): Promise<void>;
  /** Refuses pulls, waits for those that run, and ends. */
  stop(): Promise<void>;
  /** Ends at once. */
  close(): Promise<void>;
  /** Resolves when another daemon has taken over and nothing is left to do here. */
  readonly takenOver: Promise<void>;
}

const watchEveryMs = 1_000;

/**
 * Starts the daemon as flags, file and kubelet configuration say, and follows the files.
 * Loads the YAML reader only when there is something to read.
 * @throws ConfigurationError, ListenError or FeatureGateError
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { log } = options;
  const gate = createFeatureGate({ component: 'slipway-pulls', version: '0.1' });
  gate.add({ ParallelImagePullLimit: [{ version: '0.1', stage: 'Beta', default: true }] });
  if (options.featureGates !== undefined) gate.set(options.featureGates);

  const metrics = new PullMetrics();
  const onRecord = (record: PullRecord) => {
    metrics.note(record);
    const { what, ...fields } = record;
    log({ msg: `pull ${what}`, ...fields });
  };
  const effective = (limit: number) => (gate.enabled('ParallelImagePullLimit') ? limit : 0);
  const read = async () => {
    const settings = await settingsOf(options);
    return { settings, ...(await limitOf(settings, log)) };
  };

  const first = await read();
  const { settings } = first;
  const from = options.takeOver ? await takeOver(settings.admin) : undefined;
  const daemon = await startPullDaemon({
    settings,
    from,
    limit: effective(first.limit),
    onRecord,
    onUndecodable: () => metrics.noteUndecodable(),
  });
  const reload = async () => {
    try {
      const next = await read();
      daemon.apply(next.settings);
      daemon.setLimit(effective(next.limit), next.source);
      log({ msg: 'configuration read', limit: next.limit, source: next.source });
    } catch (error) {
      metrics.noteReloadFailed();
      log({ msg: 'configuration not taken over', error: messageOf(error) });
    }
  };

  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const one of closing.splice(0)) one();
    await daemon.close();
  };
  let giveUp = () => {};
  const takenOver = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  try {
    const admin = adminServer(daemon, metrics, () => void reload());
    admin.on('upgrade', (request, connection) => {
      if (request.url !== handOverPath || request.headers.upgrade !== handOverProtocol) {
        connection.destroy();
        return;
      }
      log({ msg: 'handing over' });
      connection.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${handOverProtocol}\r\n\r\n`,
      );
      void daemon
        .giveOver(connection, () => admin.close())
        .then(close)
        .then(giveUp);
    });
    const unlink = await listenAt(admin, settings.admin, { takeOver: from !== undefined });
    closing.push(() => endOf(admin), unlink);
    from?.listening();
    if (settings.metrics !== undefined) {
      const server = metricsServer(daemon, metrics);
      await listenForMetrics(server, settings.metrics);
      closing.push(() => endOf(server));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const changed = () => void reload();
  for (const path of watched(options, settings)) {
    watchFile(path, { interval: watchEveryMs, persistent: false }, changed);
    closing.push(() => unwatchFile(path, changed));
  }
  return {
    settings,
    daemon,
    reload,
    close,
    takenOver,
    async stop() {
      await daemon.drain();
      await close();
    },
  };
}

async function settingsOf({ flags, config }: ServeOptions): Promise<PullsSettings> {
  if (config === undefined) return pullsSettings(flags);
  const { readConfigurationFile } = await import('../config/settings-files.js');
  const written = readConfigurationFile(config);
  return pullsSettings({ ...written, ...flags, onFull: { ...written.onFull, ...flags.onFull } });
}

async function limitOf(
  { limit, kubelet }: PullsSettings,
  log: ServeOptions['log'],
): Promise<{ limit: number; source: string }> {
  if (limit !== 'fromKubelet') return { limit, source: 'configuration' };
  const { readKubeletLimit } = await import('../config/settings-files.js');
  const read = readKubeletLimit(kubelet);
  if (read.warning !== undefined) log({ msg: 'kubelet configuration', warning: read.warning });
  return { limit: read.limit, source: kubelet.config };
}

function watched({ config }: ServeOptions, { limit, kubelet }: PullsSettings): readonly string[] {
  const paths = config === undefined ? [] : [config];
  return limit === 'fromKubelet' ? [...paths, kubelet.config, kubelet.configDir].filter((path) => path !== '') : paths;
}

async function listenForMetrics(server: Server, address: string): Promise<void> {
  if (address.startsWith('/')) {
    await listenAt(server, address);
    return;
  }
  const colon = address.lastIndexOf(':');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(address.slice(colon + 1)), address.slice(0, colon), resolve);
  });
}

function endOf(server: Server & { closeAllConnections?(): void }): void {
  server.close();
  server.closeAllConnections?.();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
