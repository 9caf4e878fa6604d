import { methodNotAllowed } from '@slipway/api-machinery/errors/status-errors';
import type { Query } from '../request/query.js';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import { textAnswer } from '../response/answers.js';

/** One thing that must be so for the server to be well. */
export interface HealthCheck {
  readonly name: string;
  /** Which endpoints ask it: a server that is stopping is alive, and not ready. */
  readonly endpoints: readonly Endpoint[];
  /** Undefined when all is well, else what is not. */
  readonly problem: () => string | undefined;
}

export type Endpoint = 'healthz' | 'livez' | 'readyz';

export const healthEndpoints: readonly Endpoint[] = ['healthz', 'livez', 'readyz'];

/** The checks of every API server and those it is given. It is not ready while `isStopping` returns true. */
export function standardChecks(more: readonly HealthCheck[], isStopping: () => boolean): readonly HealthCheck[] {
  const always = ['ping', 'log', 'etcd'].map((name) => ({
    name,
    endpoints: healthEndpoints,
    problem: () => undefined,
  }));
  const problem = () => (isStopping() ? 'process is shutting down' : undefined);
  return [...always, ...more, { name: 'shutdown', endpoints: ['readyz'], problem }];
}

/** Whether a path is about health: `/readyz`, `/livez/etcd`. */
export function isHealthPath(parts: readonly string[]): boolean {
  return healthEndpoints.some((endpoint) => endpoint === parts[1]);
}

/** Answers `/healthz`, `/livez`, `/readyz` and their checks one by one; undefined for a check that there is not. */
export function health(
  checks: readonly HealthCheck[],
  request: ApiRequest,
  parts: readonly string[],
  query: Query,
): ApiAnswer | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  const endpoint = parts[1] as Endpoint;
  const asked = checks.filter((check) => check.endpoints.includes(endpoint));
  const rest = parts.slice(2).join('/');
  if (rest === '') return summary(endpoint, asked, query);
  const check = asked.find(({ name }) => name === rest);
  return check && one(check);
}

function one(check: HealthCheck): ApiAnswer {
  const problem = check.problem();
  return problem === undefined ? textAnswer(200, 'ok') : textAnswer(500, `internal server error: ${problem}\n`, sniff);
}

function summary(endpoint: Endpoint, checks: readonly HealthCheck[], query: Query): ApiAnswer {
  const excluded = new Set(query.all('exclude'));
  const lines: string[] = [];
  let failed = false;
  for (const { name, problem } of checks) {
    const why = excluded.delete(name) ? undefined : problem();
    if (query.all('exclude').includes(name)) lines.push(`[+]${name} excluded: ok`);
    else lines.push(why === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`);
    failed ||= why !== undefined;
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (failed) return textAnswer(500, `${lines.join('\n')}\n${endpoint} check failed\n`, sniff);
  if (query.get('verbose') === undefined) return textAnswer(200, 'ok', sniff);
  return textAnswer(200, `${lines.join('\n')}\n${endpoint} check passed\n`, sniff);
}

/** Every address of a health check, for lists of paths. */
export function healthPaths(checks: readonly HealthCheck[]): string[] {
  const paths = healthEndpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...checks.filter((check) => check.endpoints.includes(endpoint)).map(({ name }) => `/${endpoint}/${name}`),
  ]);
  return paths.sort();
}

const sniff = { 'x-content-type-options': 'nosniff' };
