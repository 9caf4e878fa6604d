import { isIPv4, isIPv6 } from 'node:net';
import type { OnFull } from '../limiter/on-full.js';
import { ConfigurationError, Section } from './configuration-section.js';
import {
  adminOf,
  defaultJournalBytes,
  defaultPullsSettings,
  type PullsSettings,
  passedSocket,
} from './pulls-settings.js';

/** What `readPullsConfiguration` leaves open is taken from the flags or the defaults. */
export type PullsConfiguration = Partial<Omit<PullsSettings, 'onFull' | 'retry'>> & { readonly onFull?: OnFullOptions };

/** `onFull` as people write it. */
export interface OnFullOptions {
  readonly mode?: OnFull['mode'];
  readonly maxWaitMs?: number;
  readonly attempts?: number;
  readonly intervalMs?: number;
  readonly wakeEarly?: boolean;
}

/**
 * Reads a PullsConfiguration from the values of its document.
 * @throws ConfigurationError
 */
export function readPullsConfiguration(values: unknown): PullsConfiguration {
  const document = new Section(values ?? {});
  document.constant('apiVersion', 'pulls.slipway.dev/v1alpha1');
  document.constant('kind', 'PullsConfiguration');
  const { queue } = defaultPullsSettings;
  const kubelet = document.section('kubelet');
  const present = document.section('present');
  const coalesce = document.section('coalesce');
  const onFull = document.section('onFull');
  const stall = document.section('stall');
  const { sharing, present: presentBefore } = defaultPullsSettings;
  const read = {
    ...addresses(document),
    front: document.oneOf('front', ['images', 'both'] as const),
    errors: document.oneOf('errors', ['kubelet', 'precise'] as const),
    pullLike: document.texts('pullLike'),
    stallAfterMs: stall.positiveDuration('after', 'to see no stalls write a long time'),
    journal: journalOf(document.section('journal')),
    limit: document.limit('limit'),
    services: document.oneOf('services', ['cri', 'all'] as const),
    drainTimeoutMs: document.duration('drainTimeout'),
    kubelet: {
      config: kubelet.text('config') ?? defaultPullsSettings.kubelet.config,
      configDir: kubelet.text('configDir') ?? '',
      ...withoutUndefined({ serializeImagePulls: kubelet.boolean('serializeImagePulls') }),
    },
    onFull: withoutUndefined({
      mode: onFull.oneOf('mode', ['wait', 'retry', 'fail'] as const),
      maxWaitMs: onFull.duration('maxWait') || undefined,
      attempts: onFull.number('attempts', 1, 1_000),
      intervalMs: onFull.positiveDuration('interval', 'to refuse at once write mode: fail'),
      wakeEarly: onFull.boolean('wakeEarly'),
    }),
    present: {
      mode: presentMode(present) ?? presentBefore.mode,
      recentMs: present.duration('recent') ?? presentBefore.recentMs,
    },
    sharing: {
      scope: coalesce.oneOf('scope', ['namespace', 'node', 'none'] as const) ?? sharing.scope,
      annotations: coalesce.texts('annotations') ?? sharing.annotations,
    },
    queue: {
      ...queue,
      ...withoutUndefined({
        maxWaiting: document.number('maxWaiting', 0, 1_000_000),
        presentLane: present.number('lane', 0, 10_000),
        abortTimeoutMs: document.duration('abortTimeout'),
        sessionGraceMs: document.duration('sessionGrace'),
        runtimeLostGraceMs: document.duration('runtimeLostGrace'),
        perRegistry: document.limits('perRegistry'),
        onStall: stall.oneOf('do', ['report', 'release', 'cancel'] as const),
      }),
    },
  };
  for (const section of [document, kubelet, present, coalesce, onFull, stall]) section.nothingElse();
  return withoutUndefined(read) as PullsConfiguration;
}

const addressReaders = {
  listen: listenSocket,
  runtime: socketPath,
  admin: socketPath,
  metrics: metricsAddress,
} as const;

function addresses(document: Section): { readonly [K in keyof typeof addressReaders]: string | undefined } {
  const { listen, runtime, admin, metrics } = addressReaders;
  return {
    listen: document.address('listen', listen),
    runtime: document.address('runtime', runtime),
    admin: document.address('admin', admin),
    metrics: document.address('metrics', metrics),
  };
}

/** Lists what is wrong with the addresses of a document, one error each. */
export function addressErrors(values: unknown): readonly ConfigurationError[] {
  return Object.entries(addressReaders).flatMap(([key, read]) => {
    try {
      new Section(values ?? {}).address(key, read);
      return [];
    } catch (error) {
      if (error instanceof ConfigurationError) return [error];
      throw error;
    }
  });
}

/** `succeed` answers without asking the registry, so it takes a word of consent. */
function presentMode(present: Section): PullsSettings['present']['mode'] | undefined {
  const mode = present.oneOf('mode', ['verify', 'place', 'succeed'] as const);
  const accepts = present.boolean('iAcceptStaleTags');
  if (mode !== 'succeed' || accepts === true) return mode;
  throw present.error(
    'mode',
    'present.mode succeed skips the credentials and misses tags that moved: write present.iAcceptStaleTags: true as well',
  );
}

function journalOf(journal: Section): PullsSettings['journal'] {
  const dir = journal.text('dir');
  const sizeBytes = journal.bytes('size') ?? defaultJournalBytes;
  journal.nothingElse();
  return dir === undefined ? undefined : { dir, sizeBytes };
}

/**
 * Fills in what is left open.
 * @throws ConfigurationError when two settings do not go together.
 */
export function pullsSettings(configuration: PullsConfiguration): PullsSettings {
  const listen = configuration.listen ?? defaultPullsSettings.listen;
  const { onFull: written = {}, ...rest } = configuration;
  const settings: PullsSettings = {
    ...defaultPullsSettings,
    ...rest,
    listen,
    admin: configuration.admin ?? adminOf(listen),
    onFull: onFullOf(written, written.mode ?? 'wait'),
    retry: onFullOf(written, 'retry'),
  };
  refuseRepeated(settings);
  if (settings.front === 'both' && settings.runtime.includes('crio') && !settings.listen.endsWith(crioSocket)) {
    const why = 'a kubelet tells CRI-O by the name of its socket, and counts its statistics otherwise';
    throw new ConfigurationError(`front both needs a listen that ends with ${crioSocket}: ${why}`, { keys: ['front'] });
  }
  return settings;
}

/** @throws ConfigurationError */
function refuseRepeated({ listen, runtime, admin, metrics }: PullsSettings): void {
  const addresses = Object.entries({ listen, runtime, admin, metrics });
  for (const [at, [key, address]] of addresses.entries()) {
    const [other] = addresses.slice(at + 1).find(([, second]) => second === address) ?? [];
    if (other !== undefined) throw new ConfigurationError(`${key} and ${other} are the same socket`, { keys: [key] });
  }
}

const crioSocket = 'run/crio/crio.sock';

function onFullOf(written: OnFullOptions, mode: OnFull['mode']): OnFull {
  if (mode === 'fail') return { mode };
  if (mode === 'wait') return { mode, maxWaitMs: written.maxWaitMs };
  const { attempts = 3, intervalMs = 10_000, wakeEarly = true } = written;
  return { mode, attempts, intervalMs, wakeEarly };
}

/**
 * The path of a unix socket, written `unix:///x`, `unix:/x` or `/x`.
 * @throws ConfigurationError
 */
export function socketPath(written: string): string {
  const path = written.replace(/^unix:(?:\/\/(?=\/))?/, '');
  if (!path.startsWith('/') || path.endsWith('/') || path.includes('\0')) {
    throw new ConfigurationError(`"${written}" is not a unix socket: write unix:///path/to.sock`);
  }
  const bytes = Buffer.byteLength(path);
  if (bytes <= maxSocketPathBytes) return path;
  throw new ConfigurationError(`${path} has ${bytes} bytes, and a socket path can have at most ${maxSocketPathBytes}`);
}

/** Maximum of the platform. */
export const maxSocketPathBytes = 107;

/**
 * Parses the address to listen on: a unix socket, or `fd:3` for the one that systemd passes on.
 * @throws ConfigurationError
 */
export function listenSocket(written: string): string {
  if (written === passedSocket) return written;
  if (written.startsWith('fd:'))
    throw new ConfigurationError(`"${written}" is not a passed socket: write ${passedSocket}`);
  return socketPath(written);
}

/**
 * Parses the address to serve metrics on: `HOST:PORT`, where a host with colons is in brackets, or a unix socket.
 * @throws ConfigurationError
 */
export function metricsAddress(written: string): string {
  if (written.startsWith('/') || written.startsWith('unix:')) return socketPath(written);
  const [, host = '', port = ''] = /^(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/.exec(written) ?? [];
  if (isHost(host) && Number(port) <= maxPort) return written;
  throw new ConfigurationError(
    `"${written}" is not an address: write HOST:PORT with a port from 0 to ${maxPort}, or unix:///path/to.sock`,
  );
}

const maxPort = 65_535;

/** A name, or an IP address that is one. */
function isHost(host: string): boolean {
  if (host.startsWith('[')) return isIPv6(host.slice(1, -1));
  return host !== '' && (!/^[\d.]+$/.test(host) || isIPv4(host));
}

function withoutUndefined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
