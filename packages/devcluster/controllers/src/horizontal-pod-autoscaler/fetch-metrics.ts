import { isStatus, type Kube, type LabelSelector, labelSelectorToString, milli, parseQuantity } from '@slipway/kube';
import type { MetricFields, ReferenceFields } from '@slipway/kube-objects/kinds/autoscaler';
import { printedSelector } from './printed-selector.js';

/** What an adapter of metrics said of one metric. */
export type Fetched =
  | { readonly values: readonly FetchedValue[]; readonly problem?: undefined }
  | { readonly problem: string };

export interface FetchedValue {
  /** Name of the object that the value is about; '' for an external metric. */
  readonly of: string;
  /** In thousandths. */
  readonly milli: number;
}

/** Whose metrics are asked for. */
export interface MetricScope {
  readonly namespace: string;
  /** Of the pods of the target. */
  readonly selector: string;
  readonly signal: AbortSignal;
}

/** Asks adapters, which answer for `custom.metrics.k8s.io` and `external.metrics.k8s.io`, for the metrics that they have. */
export async function fetchMetrics(
  kube: Kube,
  metrics: readonly MetricFields[],
  scope: MetricScope,
): Promise<ReadonlyMap<MetricFields, Fetched>> {
  const asked = metrics.filter(({ type = '' }) => ['External', 'Object', 'Pods'].includes(type));
  return new Map(
    await Promise.all(asked.map(async (metric) => [metric, await fetchOne(kube, metric, scope)] as const)),
  );
}

async function fetchOne(kube: Kube, metric: MetricFields, scope: MetricScope): Promise<Fetched> {
  const api = metric.type === 'External' ? 'external' : 'custom';
  const failed = (why: string) => ({ problem: `unable to get ${inWords(metric, scope.namespace)}: ${why}` });
  const problem = (why: string) => failed(`unable to fetch metrics from ${api} metrics API: ${why}`);
  const { status, body: group } = await ask(kube, `/apis/${api}.metrics.k8s.io`, scope);
  const version: string | undefined = status === 200 ? group.preferredVersion?.version : undefined;
  if (version === undefined) return problem(`no ${api} metrics API (${api}.metrics.k8s.io) registered`);
  const path = await pathOf(kube, metric, scope);
  if (path === undefined) return problem(`no matches for kind "${metric.object?.describedObject?.kind}"`);
  const answer = await ask(kube, `/apis/${api}.metrics.k8s.io/${version}/${path}`, scope);
  if (isStatus(answer.body)) return problem(answer.body.message ?? '');
  if (answer.status !== 200) return problem(String(answer.body).trim());
  const items: readonly MetricValue[] = answer.body.items ?? [];
  if (items.length === 0) return failed(`no metrics returned from ${api} metrics API`);
  return {
    values: items.map(({ describedObject, value }) => ({
      of: describedObject?.name ?? '',
      milli: Number(milli(parseQuantity(value))),
    })),
  };
}

function inWords({ type, external, object, pods }: MetricFields, namespace: string): string {
  const { name, selector } = (external ?? object ?? pods)?.metric ?? {};
  if (type === 'External') return `external metric ${namespace}/${name}/${printedSelector(selector)}`;
  const { kind, name: described } = object?.describedObject ?? {};
  return object ? `metric ${name} on ${kind} ${namespace}/${described}` : `metric ${name}`;
}

interface MetricValue {
  readonly describedObject?: ReferenceFields;
  readonly value: string;
}

/** Path and query behind group and version; undefined for a kind that is not served. */
async function pathOf(kube: Kube, metric: MetricFields, scope: MetricScope): Promise<string | undefined> {
  const namespace = `namespaces/${scope.namespace}`;
  const { name = '', selector } = (metric.external ?? metric.object ?? metric.pods)?.metric ?? {};
  const ofMetric = selector ? labelSelectorToString(selector as LabelSelector) : '';
  if (metric.type === 'External') return `${namespace}/${name}${queryOf({ labelSelector: ofMetric })}`;
  const query = (labelSelector: string) => queryOf({ labelSelector, metricLabelSelector: ofMetric });
  if (metric.type === 'Pods') return `${namespace}/pods/*/${name}${query(scope.selector)}`;
  const { apiVersion = 'v1', kind = '', name: object = '' } = metric.object?.describedObject ?? {};
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  if (group === '' && kind === 'Namespace') return `${namespace}/metrics/${name}${query('')}`;
  const resource = (await kube.discover(scope.signal)).find({ group, kind });
  if (!resource) return undefined;
  return `${namespace}/${resource.plural}${group && `.${group}`}/${object}/${name}${query('')}`;
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the adapter said
async function ask(kube: Kube, path: string, { signal }: MetricScope): Promise<{ status: number; body: any }> {
  return await kube.transport.request({ method: 'GET', path, signal });
}
