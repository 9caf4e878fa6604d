import { methodNotAllowed } from '@slipway/api-machinery/errors/status-errors';
import { declaredMetricText, metricContentType } from '@slipway/feature-gates/metrics';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import { textAnswer } from '../response/answers.js';
import { type HealthCheck, healthEndpoints } from './health.js';

/**
 * Answers `/metrics/slis` in the Prometheus text format, version 0.0.4: 1 for every health check
 * that finds nothing, by endpoint, else 0 (KEP-3466). Checks are made when asked for, so nothing is counted.
 */
export function slisAnswer(request: ApiRequest, checks: readonly HealthCheck[]): ApiAnswer {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  const samples = checks
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ name, endpoints, problem }) =>
      healthEndpoints
        .filter((endpoint) => endpoints.includes(endpoint))
        .sort()
        .map((type) => ({ labels: { name, type }, value: problem() === undefined ? 1 : 0 })),
    );
  const help = '[STABLE] Whether a health check passes.';
  return textAnswer(200, declaredMetricText('kubernetes_healthcheck', 'gauge', help, samples), {
    'content-type': `${metricContentType}; escaping=underscores`,
  });
}
