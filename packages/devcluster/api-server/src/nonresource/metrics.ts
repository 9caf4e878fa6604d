import { methodNotAllowed } from '@slipway/api-machinery/errors/status-errors';
import { metricContentType, metricText } from '@slipway/feature-gates/metrics';
import type { VersionInfo } from '../discovery/version.js';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import { textAnswer } from '../response/answers.js';

/**
 * Answers `/metrics` in the Prometheus text format, version 0.0.4: which build it is, under the
 * names that Kubernetes gives these labels, and then `more`.
 */
export function metricsAnswer(request: ApiRequest, version: VersionInfo, more: string): ApiAnswer {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  return textAnswer(200, buildInfo(version) + more, {
    'content-type': `${metricContentType}; escaping=underscores`,
  });
}

function buildInfo(version: VersionInfo): string {
  const labels = {
    build_date: version.buildDate,
    compiler: version.compiler,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    git_version: version.gitVersion,
    go_version: version.goVersion,
    major: version.major,
    minor: version.minor,
    platform: version.platform,
  };
  const help = '[ALPHA] Build of this process; always 1.';
  return metricText('kubernetes_build_info', 'gauge', help, [{ labels, value: 1 }]);
}
