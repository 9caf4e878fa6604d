import { existsSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { ConfigurationError } from '../config/configuration-section.js';
import { bypassFileOf, type PullsSettings } from '../config/pulls-settings.js';
import { errorMessage } from '../cri/error-message.js';
import { systemClock } from '../limiter/clock.js';
import { PullMetrics } from '../metrics/pull-metrics.js';
import { adminServer, metricsServer } from './admin-server.js';
import { ChosenLimit } from './chosen-limit.js';
import { limitOf, needsStart, type SettingsSource, settingsOf, watched } from './current-settings.js';
import { makeDefaultFolder } from './default-folder.js';
import { handOverPath, handOverProtocol, type RuntimeSettings } from './hand-over-messages.js';
import { Listener } from './listener.js';
import { gateOf, processPage } from './process-page.js';
import { type PullDaemon, pullDaemon } from './pull-daemon.js';
import { type Log, RecordKeeper } from './record-keeper.js';
import { takeOver } from './take-over.js';
import { socketProblem } from './unix-listener.js';

export interface ServeOptions extends SettingsSource {
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
  /** Waits for the pulls that run and wait, and ends; see `PullDaemon.finish`. */
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
  makeDefaultFolder([settings.listen, settings.admin]);
  const from = options.takeOver ? await takeOver(settings.admin, systemClock) : undefined;
  const replaces = { takeOver: from !== undefined };
  const daemon = pullDaemon({
    settings,
    ...replaces,
    limit: first.limit,
    limitSource: first.source,
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
      log({ msg: 'configuration not taken over', error: errorMessage(error) });
    }
  };

  const admin = adminServer({
    daemon,
    metrics,
    bypass,
    reload: () => void reload(),
    limit: (limit) => chosen.set('manual', limit),
    clusterLimit(limit) {
      if (!isGateOn) throw new ConfigurationError('the gate ParallelImagePullLimit is off for this daemon');
      if (limit) chosen.set('cluster', limit);
      else chosen.withdraw('cluster');
    },
  });
  const pages = metricsServer(daemon, metrics);
  const adminListener = new Listener(admin, settings.admin, replaces);
  const pagesListener = settings.metrics === undefined ? [] : [new Listener(pages, settings.metrics, replaces)];
  // The socket of the kubelet comes last: whatever fails before leaves its calls where they are.
  const listeners = [...pagesListener, adminListener, daemon.listener];

  const closing: (() => unknown)[] = [() => chosen.close(), () => keeper.close()];
  const close = async () => {
    for (const listener of listeners) listener.stop();
    for (const one of closing.splice(0)) await one();
    await daemon.close();
    for (const server of [admin, pages]) server.closeAllConnections();
  };
  let giveUp = () => {};
  const takenOver = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  onHandOver(admin, async (connection) => {
    log({ msg: 'handing over' });
    const isOver = await daemon.giveOver(connection, {
      byHand: () => ({ paused: daemon.state().paused, ...setLimits(chosen) }),
      release() {
        for (const listener of listeners) if (listener.isExclusive) listener.stop();
      },
      leave() {
        for (const listener of listeners) listener.stop();
      },
      async restore(byForce) {
        const restored = await Promise.all(listeners.map((listener) => resumed(listener, byForce, log)));
        return restored.at(-1) === true;
      },
    });
    log({ msg: isOver ? 'handed over' : 'not handed over; this process serves on' });
    if (isOver) await close().then(giveUp);
  });
  try {
    for (const listener of listeners.toReversed()) await listener.check();
    if (from)
      await daemon.adopt(from, ({ paused, manual, cluster }) => {
        daemon.setPaused(paused);
        if (manual) chosen.set('manual', manual);
        if (cluster && isGateOn) chosen.set('cluster', cluster);
      });
    if (pagesListener.some(({ isExclusive }) => isExclusive)) await from?.release();
    for (const listener of listeners) await listener.listen();
    await from?.commit();
  } catch (error) {
    await close();
    from?.close();
    throw error;
  }
  const problem = socketProblem(settings.runtime);
  if (problem !== undefined) {
    log({
      msg: 'no container runtime',
      warning: `${settings.runtime} ${problem}: pulls wait until a runtime listens there`,
    });
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
      await daemon.finish();
      await close();
    },
  };
}

function setLimits(chosen: ChosenLimit): Pick<RuntimeSettings, 'manual' | 'cluster'> {
  const [manual, cluster] = [chosen.setBy('manual'), chosen.setBy('cluster')];
  return { ...(manual && { manual }), ...(cluster && { cluster }) };
}

/** One at a time: a second one is told so. */
function onHandOver(admin: Server, handOver: (connection: Duplex) => Promise<void>): void {
  let isBusy = false;
  admin.on('upgrade', (request: IncomingMessage, connection: Duplex) => {
    connection.on('error', () => {});
    if (request.url !== handOverPath || request.headers.upgrade !== handOverProtocol) {
      connection.destroy();
      return;
    }
    if (isBusy) {
      connection.end('HTTP/1.1 409 Conflict\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    isBusy = true;
    connection.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${handOverProtocol}\r\n\r\n`);
    void handOver(connection).finally(() => {
      isBusy = false;
    });
  });
}

const portRetries = 6;

/** Listens again. The port of a process that has just died is free a moment later than its connections are closed. */
async function resumed(listener: Listener, byForce: boolean, log: Log): Promise<boolean> {
  for (let failures = 0; ; failures += 1) {
    try {
      await listener.resume(byForce);
      return true;
    } catch (error) {
      if (listener.isExclusive && failures < portRetries) await setTimeout(20 << failures);
      else {
        log({ msg: 'not listening again', at: listener.address, error: errorMessage(error) });
        return false;
      }
    }
  }
}
