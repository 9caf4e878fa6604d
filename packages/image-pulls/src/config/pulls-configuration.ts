import type { OnFull } from '../limiter/on-full.js';
import { highestLimit } from '../proxy/pull-option.js';
import { adminOf, defaultPullsSettings, type PullsSettings } from './pulls-settings.js';

/** A configuration that cannot be used. The message names the key. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

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
  const document = new Section(values ?? {}, '');
  document.constant('apiVersion', 'pulls.slipway.dev/v1alpha1');
  document.constant('kind', 'PullsConfiguration');
  const { queue } = defaultPullsSettings;
  const kubelet = document.section('kubelet');
  const present = document.section('present');
  const coalesce = document.section('coalesce');
  const onFull = document.section('onFull');
  const { sharing, present: presentBefore } = defaultPullsSettings;
  const read = {
    listen: optional(document.text('listen'), socketPath),
    runtime: optional(document.text('runtime'), socketPath),
    admin: optional(document.text('admin'), socketPath),
    metrics: document.text('metrics'),
    limit: document.limit('limit'),
    services: document.oneOf('services', ['cri', 'all'] as const),
    drainTimeoutMs: document.duration('drainTimeout'),
    kubelet: {
      config: kubelet.text('config') ?? defaultPullsSettings.kubelet.config,
      configDir: kubelet.text('configDir') ?? '',
    },
    onFull: withoutUndefined({
      mode: onFull.oneOf('mode', ['wait', 'retry', 'fail'] as const),
      maxWaitMs: onFull.duration('maxWait') || undefined,
      attempts: onFull.number('attempts', 1, 1_000),
      intervalMs: onFull.positiveDuration('interval'),
      wakeEarly: onFull.boolean('wakeEarly'),
    }),
    present: {
      mode: present.oneOf('mode', ['verify', 'place'] as const) ?? presentBefore.mode,
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
      }),
    },
  };
  for (const section of [document, kubelet, present, coalesce, onFull]) section.nothingElse();
  return withoutUndefined(read) as PullsConfiguration;
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
  if (settings.listen === settings.runtime) throw new ConfigurationError('listen and runtime are the same socket');
  return settings;
}

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
  if (path.startsWith('/')) return path;
  throw new ConfigurationError(`"${written}" is no unix socket: write unix:///path/to.sock`);
}

/**
 * A limit as people write it: 0 to 10000.
 * @throws ConfigurationError
 */
export function limitOf(written: unknown, what = 'limit'): number {
  const limit = typeof written === 'string' && /^\d+$/.test(written) ? Number(written) : written;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 0 && limit <= highestLimit) return limit;
  throw new ConfigurationError(`${what} is ${JSON.stringify(written)}, and can be 0 to ${highestLimit}`);
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Milliseconds of a duration such as `30s`, `1m30s` or `500ms`; undefined when it is none. */
export function durationMs(written: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(written)) return written === '0' ? 0 : undefined;
  let sum = 0;
  for (const [, amount, unit] of written.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
    sum += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return sum;
}

/** One mapping of the file; remembers what was asked for, so that a misspelt key is an error. */
class Section {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #known: string[] = [];

  constructor(values: unknown, path: string) {
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new ConfigurationError(path === '' ? 'the file holds no settings' : `${path} holds no settings`);
    }
    this.#values = values as Record<string, unknown>;
    this.#path = path;
  }

  section(key: string): Section {
    return new Section(this.#value(key) ?? {}, this.#name(key));
  }

  constant(key: string, expected: string): void {
    const value = this.#value(key);
    if (value !== undefined && value !== expected) this.#fail(key, `"${expected}"`);
  }

  text(key: string): string | undefined {
    const value = this.#value(key);
    if (value === undefined || typeof value === 'string') return value;
    return this.#fail(key, 'a text');
  }

  texts(key: string): readonly string[] | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
    return this.#fail(key, 'a list of texts');
  }

  boolean(key: string): boolean | undefined {
    const value = this.#value(key);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.#fail(key, 'true or false');
  }

  number(key: string, least: number, most: number): number | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    return this.#fail(key, `${least} to ${most}`);
  }

  duration(key: string): number | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    return (typeof value === 'string' ? durationMs(value) : undefined) ?? this.#fail(key, 'a time such as 30s');
  }

  positiveDuration(key: string): number | undefined {
    const value = this.duration(key);
    return value === 0 ? this.#fail(key, 'a time above 0; to refuse at once write mode: fail') : value;
  }

  limit(key: string): number | 'fromKubelet' | undefined {
    const value = this.#value(key);
    if (value === undefined || value === 'fromKubelet') return value;
    if (typeof value === 'string') return this.#fail(key, `0 to ${highestLimit} or fromKubelet`);
    return limitOf(value, this.#name(key));
  }

  limits(key: string): Readonly<Record<string, number>> | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) return this.#fail(key, 'a limit for each registry');
    const entries = Object.entries(value as object);
    return Object.fromEntries(entries.map(([host, limit]) => [host, limitOf(limit, `${this.#name(key)}.${host}`)]));
  }

  oneOf<T extends string>(key: string, words: readonly T[]): T | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    return words.find((word) => word === value) ?? this.#fail(key, words.join(' or '));
  }

  /** @throws ConfigurationError for a key that nothing asked for. */
  nothingElse(): void {
    const unknown = Object.keys(this.#values).find((key) => !this.#known.includes(key));
    if (unknown === undefined) return;
    const near = this.#known.find((key) => isNear(key, unknown));
    throw new ConfigurationError(`unknown key ${this.#name(unknown)}${near ? `; is ${this.#name(near)} meant?` : ''}`);
  }

  #value(key: string): unknown {
    this.#known.push(key);
    return Object.hasOwn(this.#values, key) ? (this.#values[key] ?? undefined) : undefined;
  }

  #name(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`;
  }

  #fail(key: string, allowed: string): never {
    const written = JSON.stringify(this.#values[key]);
    throw new ConfigurationError(`${this.#name(key)} is ${written}, and can be ${allowed}`);
  }
}

/** Whether two keys differ by a typing error or one starts like the other. */
function isNear(key: string, typed: string): boolean {
  const [a, b] = [key.toLowerCase(), typed.toLowerCase()];
  if (a.startsWith(b) || b.startsWith(a)) return true;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change));
    }
    row = next;
  }
  return (row[b.length] ?? 0) <= 2;
}

function optional<T, U>(value: T | undefined, change: (value: T) => U): U | undefined {
  return value === undefined ? undefined : change(value);
}

function withoutUndefined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
