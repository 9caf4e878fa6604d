import { maxLimit } from '../cri/option-headers.js';

/** A configuration that cannot be used. The message names the key. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** The keys that lead to what is wrong, so that whoever has the file can say where. */
  readonly keys: readonly string[];

  constructor(message: string, options: ErrorOptions & { readonly keys?: readonly string[] } = {}) {
    super(message, options);
    this.keys = options.keys ?? [];
  }
}

/**
 * A limit as people write it: 0 to 10000.
 * @throws ConfigurationError
 */
export function limitOf(written: unknown, what = 'limit'): number {
  const limit = typeof written === 'string' && /^\d+$/.test(written) ? Number(written) : written;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 0 && limit <= maxLimit) return limit;
  throw new ConfigurationError(`${what} is ${JSON.stringify(written)}, and can be 0 to ${maxLimit}`);
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

/** One mapping of a file; remembers what was asked for, so that a misspelt key is an error. */
export class Section {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: readonly string[];
  readonly #known: string[] = [];

  constructor(values: unknown, path: readonly string[] = []) {
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      const where = path.length === 0 ? 'the file' : path.join('.');
      throw new ConfigurationError(`${where} holds no settings`, { keys: path });
    }
    this.#values = values as Record<string, unknown>;
    this.#path = path;
  }

  section(key: string): Section {
    return new Section(this.#value(key) ?? {}, [...this.#path, key]);
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

  /** `instead` says what to write when 0 was meant. */
  positiveDuration(key: string, instead: string): number | undefined {
    const value = this.duration(key);
    return value === 0 ? this.#fail(key, `a time above 0; ${instead}`) : value;
  }

  /** An address as `read` takes it. */
  address(key: string, read: (written: string) => string): string | undefined {
    const written = this.text(key);
    try {
      return written === undefined ? undefined : read(written);
    } catch (error) {
      throw this.error(key, `${this.#name(key)}: ${(error as Error).message}`);
    }
  }

  limit(key: string): number | 'fromKubelet' | undefined {
    const value = this.#value(key);
    if (value === undefined || value === 'fromKubelet') return value;
    if (typeof value === 'string') return this.#fail(key, `0 to ${maxLimit} or fromKubelet`);
    return this.#limit(value, [key]);
  }

  limits(key: string): Readonly<Record<string, number>> | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) return this.#fail(key, 'a limit for each registry');
    const entries = Object.entries(value as object);
    return Object.fromEntries(entries.map(([host, limit]) => [host, this.#limit(limit, [key, host])]));
  }

  #limit(value: unknown, keys: readonly string[]): number {
    const path = [...this.#path, ...keys];
    try {
      return limitOf(value, path.join('.'));
    } catch (error) {
      throw new ConfigurationError((error as Error).message, { keys: path });
    }
  }

  /** A size such as `64Mi`, in bytes. */
  bytes(key: string): number | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    return (typeof value === 'string' ? bytesOf(value) : undefined) ?? this.#fail(key, 'a size such as 64Mi');
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
    const near = this.#known.find((key) => isNear(key, unknown)) ?? (this.#path.length === 0 && otherName(unknown));
    throw this.error(unknown, `unknown key ${this.#name(unknown)}${near ? `; is ${this.#name(near)} meant?` : ''}`);
  }

  /** What is wrong with a key, for a rule that no reader here knows. */
  error(key: string, message: string): ConfigurationError {
    return new ConfigurationError(message, { keys: [...this.#path, key] });
  }

  #value(key: string): unknown {
    this.#known.push(key);
    return Object.hasOwn(this.#values, key) ? (this.#values[key] ?? undefined) : undefined;
  }

  #name(key: string): string {
    return [...this.#path, key].join('.');
  }

  #fail(key: string, allowed: string): never {
    const written = JSON.stringify(this.#values[key]);
    throw this.error(key, `${this.#name(key)} is ${written}, and can be ${allowed}`);
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

/** Whoever knows the kubelet's settings looks for them here. */
function otherName(typed: string): string | undefined {
  return /^max-?parallel/i.test(typed) ? 'limit' : undefined;
}

/** Bytes of `512Ki`, `64Mi` or `1Gi`; undefined when it is none. */
function bytesOf(written: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})(Ki|Mi|Gi)$/.exec(written) ?? [];
  return amount === undefined ? undefined : Number(amount) * 1_024 ** (['Ki', 'Mi', 'Gi'].indexOf(unit) + 1);
}
