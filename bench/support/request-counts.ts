import type { Kube } from '@slipway/kube';

/** How many requests a server has answered: `PUT nodesizes/status` -> 7. */
export type RequestCounts = ReadonlyMap<string, number>;

/** Reads them from the metrics of the server. */
export async function requestCounts(kube: Kube): Promise<RequestCounts> {
  const { body } = await kube.transport.request({ method: 'GET', path: '/metrics' });
  const counts = new Map<string, number>();
  for (const [, labels = '', count] of String(body).matchAll(/^apiserver_request_total\{(.*)\} (\d+)/gm)) {
    const label = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const part = label('subresource') && `/${label('subresource')}`;
    const key = `${label('verb')} ${label('resource')}${part}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(count));
  }
  return counts;
}

/** Counts the requests of the given kinds that were answered between `before` and `after`. */
export function answeredSince(before: RequestCounts, after: RequestCounts, kinds: readonly string[]): number {
  return kinds.reduce((sum, kind) => sum + (after.get(kind) ?? 0) - (before.get(kind) ?? 0), 0);
}
