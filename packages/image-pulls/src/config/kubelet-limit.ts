import { defaultPullRate, type PullRate } from '../kubelet/pull-rate.js';

/** The fields of a KubeletConfiguration that say how many images are pulled, and through whom; unchecked. */
export interface KubeletPullFields {
  readonly serializeImagePulls?: unknown;
  /** Upstream's field. */
  readonly maxParallelImagePulls?: unknown;
  /** The proposal's field. */
  readonly maxParallelImagePulling?: unknown;
  readonly registryPullQPS?: unknown;
  readonly registryBurst?: unknown;
  readonly imageServiceEndpoint?: unknown;
  readonly containerRuntimeEndpoint?: unknown;
}

/** What a KubeletConfiguration comes to. */
export interface KubeletLimit {
  /** Pulls at once as Slipway reads it; 0 means unlimited. Undefined with `problem`. */
  readonly limit: number | undefined;
  /** What a real kubelet does with the same file: so many at once, without limit, or it does not start. */
  readonly kubeletRuns: number | 'unlimited' | 'nothing';
  /** Whether pulls come one by one after defaults were filled in. */
  readonly serialize: boolean;
  readonly problem?: string;
  readonly warning?: string;
}

const highest = 10_000;

/** The whole truth table: what the fields mean together, upstream's and the proposal's. */
export function kubeletLimit(fields: KubeletPullFields): KubeletLimit {
  const { serializeImagePulls: s, maxParallelImagePulls: m, maxParallelImagePulling: p } = fields;
  const isSet = (value: unknown) => value !== undefined && value !== null;
  const problem = (text: string, kubeletRuns: KubeletLimit['kubeletRuns'], serialize: boolean): KubeletLimit => ({
    limit: undefined,
    kubeletRuns,
    serialize,
    problem: text,
  });
  if (isSet(s) && typeof s !== 'boolean') {
    return problem('serializeImagePulls must be true or false', 'nothing', true);
  }
  const serial = isSet(s) ? s === true : undefined;
  const upstream = isSet(m) ? ofUpstream(serial, m) : ofNeither(serial);
  if (!isSet(p)) return upstream;
  const { kubeletRuns, serialize } = upstream;
  if (typeof p !== 'number' || !Number.isInteger(p) || p < 0 || p > highest) {
    return problem(`maxParallelImagePulling must be a whole number from 0 to ${highest}`, kubeletRuns, serialize);
  }
  if (isSet(m)) {
    if (p === m || upstream.problem) return upstream;
    const both = `maxParallelImagePulls is ${String(m)} and maxParallelImagePulling is ${p}: they are one setting`;
    return problem(both, kubeletRuns, serialize);
  }
  if (serial === true && p !== 1) {
    return problem(`maxParallelImagePulling ${p} contradicts serializeImagePulls true`, 1, true);
  }
  if (serial !== undefined || p === 1) return { ...upstream, limit: p };
  const warning =
    'a kubelet that does not know maxParallelImagePulling pulls one by one unless serializeImagePulls is false';
  return { limit: p, kubeletRuns, serialize: false, warning };
}

function ofNeither(serial: boolean | undefined): KubeletLimit {
  if (serial === false) return { limit: 0, kubeletRuns: 'unlimited', serialize: false };
  return { limit: 1, kubeletRuns: 1, serialize: true };
}

function ofUpstream(serial: boolean | undefined, m: unknown): KubeletLimit {
  const isPositive = typeof m === 'number' && Number.isInteger(m) && m >= 1;
  if (!isPositive || m > highest) {
    const problem = `maxParallelImagePulls must be a whole number from 1 to ${highest}`;
    return { limit: undefined, kubeletRuns: isPositive ? m : 'nothing', serialize: serial ?? true, problem };
  }
  if (serial === true && m > 1) {
    const problem = 'maxParallelImagePulls above 1 needs serializeImagePulls false';
    return { limit: undefined, kubeletRuns: 'nothing', serialize: true, problem };
  }
  return { limit: m, kubeletRuns: m, serialize: serial ?? m === 1 };
}

/** `registryPullQPS` and `registryBurst` as a kubelet takes them; undefined when it would not start with them. */
export function kubeletPullRate({ registryPullQPS, registryBurst }: KubeletPullFields): PullRate | undefined {
  const { qps = defaultPullRate.qps, burst = defaultPullRate.burst } = withNumbers(registryPullQPS, registryBurst);
  const isGood = Number.isInteger(qps) && Number.isInteger(burst) && qps >= 0 && burst >= 0;
  return isGood ? { qps, burst } : undefined;
}

function withNumbers(qps: unknown, burst: unknown): Partial<PullRate> {
  const numberOf = (value: unknown) => (typeof value === 'number' ? value : Number.NaN);
  const isSet = (value: unknown) => value !== undefined && value !== null;
  return { ...(isSet(qps) && { qps: numberOf(qps) }), ...(isSet(burst) && { burst: numberOf(burst) }) };
}
