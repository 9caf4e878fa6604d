import { existsSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { createFeatureGate, type FeatureGate } from '@slipway/feature-gates';
import { metricText } from '@slipway/feature-gates/metrics';
import { type PullsConfiguration, pullsSettings } from '../config/pulls-configuration.js';
import { bypassFileOf, type PullsSettings } from '../config/pulls-settings.js';
import { systemClock } from '../limiter/clock.js';
import { PullMetrics } from '../metrics/pull-metrics.js';
import { adminServer, metricsServer } from './admin-server.js';
import { ChosenLimit } from './chosen-limit.js';
import { handOverPath, handOverProtocol, takeOver } from './hand-over.js';
import { type PullDaemon, startPullDaemon } from './pull-daemon.js';
import { type Log, RecordKeeper } from './record-keeper.js';
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
  readonly log: Log;
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
/** A file that was just changed may be changed again at once. */
const settleMs = 500;

/**
 * Starts the daemon as flags, file and kubelet configuration say, and follows the files.
 * Loads the YAML reader only when there is something to read.
 * @throws ConfigurationError, ListenError or FeatureGateError
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { log } = options;
  const gate = gateOf(options.featureGates);
  const isGateOn = gate.enabled('ParallelImagePullLimit');
  const read = async () => {
    const settings = await settingsOf(options);
    const { limit, source } = await limitOf(settings, log);
    return { settings, limit: isGateOn ? limit : 0, source };
  };
  const first = await read();
  const { settings } = first;

  const metrics = new PullMetrics(processPage(gate, systemClock.now()));
  const keeper = new RecordKeeper({ settings, metrics, log });
  const from = options.takeOver ? await takeOver(settings.admin) : undefined;
  const daemon = await startPullDaemon({
    settings,
    from,
    limit: first.limit,
    onRecord: (record) => keeper.note(record, (image, startedMs) => daemon.fetchedBy(image, startedMs)),
    onUndecodable: () => metrics.noteUndecodable(),
    onStallsUnseen: () =>
      log({ msg: 'stall.do is not carried out', error: 'this runtime does not show the bytes of its pulls' }),
    onAcceptError: (error) => {
      metrics.noteAcceptFailed();
      log({ msg: 'a connection was not accepted', error: error.message });
    },
  });
  const apply = (limit: number, source: string) => daemon.setLimit(limit, source);
  const chosen = new ChosenLimit({ clock: systemClock, ...first, apply });
  const bypassFile = bypassFileOf(settings.admin);
  const bypass = (on: boolean) => {
    daemon.setBypass(on);
    chosen.bypass(on);
    if (on) writeFileSync(bypassFile, '', { mode: 0o600 });
    else rmSync(bypassFile, { force: true });
    log({ msg: on ? 'bypassed: everything passes as it is' : 'no longer bypassed' });
  };
  if (existsSync(bypassFile)) bypass(true);
  const reload = async () => {
    try {
      const next = await read();
      daemon.apply(next.settings);
      chosen.configured(next.limit, next.source);
      log({
        msg: 'configuration read',
        limit: next.limit,
        source: next.source,
        ...needsStart(settings, next.settings),
      });
    } catch (error) {
      metrics.noteReloadFailed();
      log({ msg: 'configuration not taken over', error: messageOf(error) });
    }
  };

  const closing: (() => unknown)[] = [() => chosen.close(), () => keeper.close()];
  const close = async () => {
    for (const one of closing.splice(0)) await one();
    await daemon.close();
  };
  let giveUp = () => {};
  const takenOver = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  try {
    const admin = adminServer({
      daemon,
      metrics,
      bypass,
      reload: () => void reload(),
      limit: (limit, forMs) => chosen.manual(limit, forMs),
    });
    onHandOver(admin, (connection) => {
      log({ msg: 'handing over' });
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
  let settling: { cancel(): void } | undefined;
  const changed = () => {
    settling?.cancel();
    settling = systemClock.after(settleMs, () => void reload());
  };
  closing.push(() => settling?.cancel());
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

/** What Kubernetes' own components say of themselves on their pages, so that whoever reads theirs reads this one. */
function processPage(gate: FeatureGate, startedMs: number): string {
  const { component, binaryVersion: binary } = gate;
  const labels = { binary, component, emulation: binary, min_compat: binary };
  return [
    gate.metrics(),
    metricText('process_start_time_seconds', 'gauge', 'Start time of the process in seconds since the epoch.', [
      { value: startedMs / 1_000 },
    ]),
    metricText('version_info', 'gauge', 'Version of the process; always 1.', [{ labels, value: 1 }]),
  ].join('');
}

function gateOf(featureGates: string | undefined): FeatureGate {
  const gate = createFeatureGate({ component: 'slipway-pulls', version: '0.1' });
  gate.add({ ParallelImagePullLimit: [{ version: '0.1', stage: 'Beta', default: true }] });
  if (featureGates !== undefined) gate.set(featureGates);
  return gate;
}

async function settingsOf({ flags, config }: ServeOptions): Promise<PullsSettings> {
  if (config === undefined) return pullsSettings(flags);
  const { readConfigurationFile } = await import('../config/settings-files.js');
  const written = readConfigurationFile(config);
  return pullsSettings({ ...written, ...flags, onFull: { ...written.onFull, ...flags.onFull } });
}

async function limitOf(
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
function needsStart(now: PullsSettings, next: PullsSettings): { readonly fromNextStart?: readonly string[] } {
  const fixed = ['listen', 'runtime', 'services', 'admin', 'metrics', 'journal', 'sharing', 'kubelet'] as const;
  const changed = fixed.filter((key) => JSON.stringify(now[key]) !== JSON.stringify(next[key]));
  return changed.length > 0 ? { fromNextStart: changed } : {};
}

function watched({ config }: ServeOptions, { limit, kubelet }: PullsSettings): readonly string[] {
  const paths = config === undefined ? [] : [config];
  return limit === 'fromKubelet' ? [...paths, kubelet.config, kubelet.configDir].filter((path) => path !== '') : paths;
}

function onHandOver(admin: Server, begin: (connection: Duplex) => void): void {
  admin.on('upgrade', (request: IncomingMessage, connection: Duplex) => {
    if (request.url !== handOverPath || request.headers.upgrade !== handOverProtocol) {
      connection.destroy();
      return;
    }
    connection.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${handOverProtocol}\r\n\r\n`);
    begin(connection);
  });
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
