import { methodNotAllowed } from '../../registry/status-errors.js';
import { textAnswer } from '../answers.js';
import type { ApiAnswer, ApiRequest } from '../request.js';
import { type HealthCheck, healthEndpoints } from './health.js';

/**
 * Answers `/metrics/slis` in the Prometheus text format, version 0.0.4: 1 for every health check
 * that finds nothing, by endpoint, else 0 (KEP-3466). Checks are made when asked for, so nothing is counted.
 */
export function slisAnswer(request: ApiRequest, checks: readonly HealthCheck[]): ApiAnswer {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  const lines = checks.flatMap(({ name, endpoints, problem }) =>
    healthEndpoints
      .filter((endpoint) => endpoints.includes(endpoint))
      .map((type) => `kubernetes_healthcheck{name="${name}",type="${type}"} ${problem() === undefined ? 1 : 0}\n`),
  );
  const head =
    '# HELP kubernetes_healthcheck [STABLE] Whether a health check finds all well.\n' +
    '# TYPE kubernetes_healthcheck gauge\n';
  return textAnswer(200, head + lines.sort().join(''), {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
  });
}
