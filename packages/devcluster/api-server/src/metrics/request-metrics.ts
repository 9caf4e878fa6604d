import { Histogram, type Labels, metricText } from '@slipway/feature-gates/metrics';
import type { Clock } from '@slipway/kube';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { Address } from '../request/address.js';
import type { Query } from '../request/query.js';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import type { RequestPath, ResourcePath } from '../request/request-path.js';
import { OpenWatches } from './open-watches.js';

/** Upper bounds in seconds, as Kubernetes has them. */
const bounds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

const countHelp =
  '[STABLE] Requests answered, by verb, dry run value, group, version, resource, scope, component and code.';
const durationHelp =
  '[STABLE] Seconds to an answer, by verb, dry run value, group, version, resource, subresource, scope and component.';
const inflightHelp = '[STABLE] Requests that are being worked on, watches apart.';

/**
 * Counts and times the requests of a server, under the names and labels of Kubernetes.
 *
 * Invariant: labels come from what is served and not from what clients make up, so there are few.
 */
export class RequestMetrics {
  readonly #clock: Clock;
  readonly #definitions: DefinitionRegistry;
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();
  readonly #durations = new Map<string, { readonly labels: Labels; readonly histogram: Histogram }>();
  readonly #inflight = { mutating: 0, readOnly: 0 };
  readonly #watches = new OpenWatches();

  constructor(clock: Clock, definitions: DefinitionRegistry) {
    this.#clock = clock;
    this.#definitions = definitions;
  }

  /** A request came. Gives what `ended` must be told. */
  began(request: ApiRequest): number {
    this.#inflight[kindOf(request)]++;
    return this.#clock.monotonicMs();
  }

  /** A request that came got its answer. Gives the answer to send: watches are counted for as long as they last. */
  ended(request: ApiRequest, address: Address, answer: ApiAnswer, startedMs: number): ApiAnswer {
    this.#inflight[kindOf(request)]--;
    const labels = this.#labelsOf(request, address);
    this.#note(labels, answer, (this.#clock.monotonicMs() - startedMs) / 1000);
    const { payload } = answer;
    return payload?.kind === 'watch' ? { ...answer, payload: this.#watches.counted(labels, payload) } : answer;
  }

  /** The page, in the Prometheus text format. */
  page(): string {
    const durations = function* (all: Iterable<{ labels: Labels; histogram: Histogram }>) {
      for (const { labels, histogram } of all) yield* histogram.samples(labels);
    };
    const inflight = Object.entries(this.#inflight).map(([kind, value]) => ({ labels: { request_kind: kind }, value }));
    return (
      metricText('apiserver_request_total', 'counter', countHelp, this.#counts.values()) +
      metricText('apiserver_request_duration_seconds', 'histogram', durationHelp, durations(this.#durations.values())) +
      metricText('apiserver_current_inflight_requests', 'gauge', inflightHelp, inflight) +
      this.#watches.page()
    );
  }

  #note(labels: Labels, { status, payload }: ApiAnswer, seconds: number): void {
    let key = '';
    for (const name in labels) key += `${labels[name]}|`;
    const counted = `${status}|${key}`;
    let count = this.#counts.get(counted);
    if (!count) {
      count = { labels: { code: String(status), ...labels }, value: 0 };
      this.#counts.set(counted, count);
    }
    count.value++;
    if (payload?.kind === 'watch') return;
    let duration = this.#durations.get(key);
    if (!duration) {
      duration = { labels, histogram: new Histogram(bounds) };
      this.#durations.set(key, duration);
    }
    duration.histogram.observe(seconds);
  }

  #labelsOf(request: ApiRequest, { path, parsed, query }: Address): Labels {
    if (parsed.kind !== 'resource') return pageLabels(request, path, parsed);
    const { group, version, plural } = parsed.resource;
    const definition = this.#definitions.find(group, version, plural);
    if (!definition) return unknownLabels(request);
    const { namespace, name, subresource } = parsed.resource;
    const named = (name ?? '') !== '' || request.method === 'POST';
    return {
      component: 'apiserver',
      dry_run: query.get('dryRun') === 'All' ? 'All' : '',
      group,
      resource: plural,
      scope: named ? 'resource' : namespace === '' ? 'cluster' : 'namespace',
      subresource: knownParts.has(subresource) ? subresource : '',
      verb: verbOf(request, parsed.resource, query),
      version,
    };
  }
}

function kindOf({ method }: ApiRequest): 'mutating' | 'readOnly' {
  return method === 'GET' || method === 'HEAD' ? 'readOnly' : 'mutating';
}

const knownParts = new Set(['binding', 'eviction', 'finalize', 'log', 'resize', 'scale', 'status', 'token']);
const methods: Readonly<Record<string, string>> = { POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' };

function verbOf({ method, headers }: ApiRequest, { name = '', watchPrefix }: ResourcePath, query: Query): string {
  if (method === 'GET' || method === 'HEAD') {
    if (watchPrefix || (name === '' && query.flag('watch'))) return 'WATCH';
    return name === '' ? 'LIST' : 'GET';
  }
  if (method === 'DELETE' && name === '') return 'DELETECOLLECTION';
  if (method === 'PATCH' && headers['content-type']?.startsWith('application/apply-patch')) return 'APPLY';
  return methods[method] ?? 'other';
}

const pages = new Set(['/healthz', '/livez', '/readyz', '/metrics', '/version', '/openapi/v3', '/openapi/v2']);

function pageLabels(request: ApiRequest, path: string, parsed: RequestPath): Labels {
  const labels = unknownLabels(request);
  const served = { ...labels, component: 'apiserver' };
  const page = path.slice(1);
  if (zpages.has(page)) return { ...served, ...zpageVersion(request.headers.accept), resource: page };
  if (parsed.kind === 'discovery') return { ...served, subresource: path.split('/')[1] ?? '' };
  return pages.has(path) ? { ...labels, subresource: path } : labels;
}

const zpages = new Set(['flagz', 'statusz']);

/** Pages for people come without a version; as objects they have one. */
function zpageVersion(accept = ''): Labels {
  const version = /;g=config\.k8s\.io;v=(v1alpha1|v1beta1);/.exec(accept)?.[1];
  return version === undefined ? {} : { group: 'config.k8s.io', version };
}

function unknownLabels({ method }: ApiRequest): Labels {
  const verb = method === 'GET' || method === 'HEAD' ? 'GET' : (methods[method] ?? 'other');
  return { component: '', dry_run: '', group: '', resource: '', scope: '', subresource: '', verb, version: '' };
}
