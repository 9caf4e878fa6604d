import type { Target } from '../api/target.js';
import type { Post, WebhookEndpoint } from '../tasks/webhook.js';

/** Where a measurement comes from. Only the server that asks knows: no Feature names an address. */
export type AnalysisSource =
  | { readonly webhook: WebhookEndpoint }
  /** A Prometheus endpoint, as in `http://prometheus:9090`, and what it is asked. */
  | { readonly promQL: { readonly url: string; readonly query: string } };

/** What a webhook is told. It answers `{ "value": NUMBER }`. */
export interface AnalysisCall {
  readonly feature: string;
  readonly namespace: string;
  readonly transition: string;
  /** Counted from 0. */
  readonly step: number;
  readonly to: Target;
}

/** Reads a measurement now. Rejects when there is none: nothing known is not nothing wrong. */
export type Measure = (about: AnalysisCall, signal: AbortSignal) => Promise<number>;

const mostMs = 10_000;

export function measureOf(source: AnalysisSource, post: Post<AnalysisCall>): Measure {
  if ('promQL' in source) return (_about, signal) => askPrometheus(source.promQL, signal);
  return async (about, signal) => {
    const { status, body } = await post(source.webhook, about, {}, signal);
    if (status < 200 || status > 299) throw new Error(`it answered with HTTP ${status}`);
    return finite((body as { readonly value?: unknown } | undefined)?.value);
  };
}

/** The largest value of an instant query. */
async function askPrometheus(
  { url, query }: { readonly url: string; readonly query: string },
  signal: AbortSignal,
): Promise<number> {
  const address = new URL(`${url.replace(/\/+$/, '')}/api/v1/query`);
  address.searchParams.set('query', query);
  const limit = AbortSignal.timeout(mostMs);
  const ask = async () => {
    const response = await fetch(address, { signal: AbortSignal.any([signal, limit]), redirect: 'error' });
    if (!response.ok) throw new Error(`it answered with HTTP ${response.status}`);
    return (await response.json()) as PrometheusAnswer | null;
  };
  const answer = await ask().catch((error: unknown) => {
    const { origin, pathname } = address;
    const isLate = limit.aborted && !signal.aborted;
    throw isLate ? new Error(`${origin}${pathname} gave no answer within ${mostMs / 1_000} s`) : error;
  });
  const { resultType, result } = answer?.data ?? {};
  if (!Array.isArray(result)) throw new Error('it answered without a list of results');
  // A scalar is [time, text], a vector a list of series that have such a value each.
  const values = resultType === 'scalar' ? [result] : result.map((series) => series?.value);
  if (values.length === 0) throw new Error('the query gave no data');
  return Math.max(...values.map((value) => finite(Number(Array.isArray(value) ? value[1] : undefined))));
}

function finite(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Error('it answered without a number');
}

/** What Prometheus may answer; nothing of it can be relied upon. */
interface PrometheusAnswer {
  readonly data?: {
    readonly resultType?: unknown;
    readonly result?: unknown;
  };
}
