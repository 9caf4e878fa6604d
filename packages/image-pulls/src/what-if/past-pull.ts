import { registryOf } from '../cri/image-reference.js';
import type { JournalEntry } from '../journal/journal-entry.js';

/** A pull as it was. Times in milliseconds, on whatever scale. */
export interface PastPull {
  readonly image: string;
  readonly registry: string;
  readonly askedMs: number;
  readonly waitedMs: number;
  readonly pulledMs: number;
  readonly bytes: number;
  readonly layers: number;
}

/** Pulls of one node, and the limit that held. */
export interface PastPulls {
  readonly pulls: readonly PastPull[];
  /** 0 means unlimited. */
  readonly limit: number;
}

/** What a runtime fetches of one image at once, when nothing says otherwise. */
export const connectionsPerPull = 3;

/**
 * The pulls of a journal that brought something, from the last change of the limit on: what held before says little
 * about the link under the limit that holds now.
 */
export function pastPullsOf(entries: readonly JournalEntry[]): PastPulls {
  const limit = entries.at(-1)?.limit ?? 0;
  const changed = entries.findLastIndex((entry) => entry.limit !== limit);
  const pulls = entries.slice(changed + 1).flatMap((entry): PastPull[] => {
    const { image, registry, askedAt, waitedMs, pulledMs, bytes = 0, layers = connectionsPerPull, outcome } = entry;
    if (outcome !== 'ok' || bytes === 0) return [];
    return [{ image, registry, askedMs: Date.parse(askedAt), waitedMs, pulledMs, bytes, layers: Math.max(1, layers) }];
  });
  return { pulls, limit };
}

/** As much of an Event of Kubernetes as says how a pull went. */
interface KubeletEvent {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly lastTimestamp?: unknown;
  readonly eventTime?: unknown;
  readonly source?: { readonly host?: unknown };
  readonly reportingInstance?: unknown;
}

/**
 * The pulls that the events of kubelets tell of, by node: a list as `kubectl get events -o json` prints it. What a
 * kubelet calls size is that of the image, of which parts may have been there.
 */
export function pastPullsOfEvents(list: unknown): ReadonlyMap<string, PastPulls> {
  const { items } = (list ?? {}) as { items?: unknown };
  const byNode = new Map<string, PastPull[]>();
  for (const event of Array.isArray(items) ? (items as KubeletEvent[]) : []) {
    const pull = event.reason === 'Pulled' ? pullOf(event) : undefined;
    if (!pull) continue;
    const node = String(event.source?.host ?? event.reportingInstance ?? '');
    byNode.set(node, [...(byNode.get(node) ?? []), pull]);
  }
  return new Map([...byNode].map(([node, pulls]) => [node, { pulls, limit: limitSeen(pulls) }]));
}

const pulledText =
  /^Successfully pulled image "([^"]+)" in ([\d.hmsµu]+) \(([\d.hmsµu]+) including waiting\)\. Image size: (\d+) bytes\./;

function pullOf({ message, lastTimestamp, eventTime }: KubeletEvent): PastPull | undefined {
  const [, image = '', took = '', waiting = '', size] = pulledText.exec(String(message)) ?? [];
  const endedMs = Date.parse(String(lastTimestamp ?? eventTime));
  if (size === undefined || Number.isNaN(endedMs)) return undefined;
  const [pulledMs, wholeMs] = [goDurationMs(took), goDurationMs(waiting)];
  const waitedMs = Math.max(0, wholeMs - pulledMs);
  const what = { image, registry: registryOf(image), bytes: Number(size), layers: connectionsPerPull };
  return { ...what, askedMs: endedMs - wholeMs, waitedMs, pulledMs };
}

/** How many ran at once when some waited: that was the limit. Without waiting there was none that mattered. */
function limitSeen(pulls: readonly PastPull[]): number {
  const waited = pulls.some(({ waitedMs, pulledMs }) => waitedMs > Math.max(1_000, pulledMs / 10));
  if (!waited) return 0;
  const edges = pulls.flatMap(({ askedMs, waitedMs, pulledMs }) => [
    { atMs: askedMs + waitedMs, by: 1 },
    { atMs: askedMs + waitedMs + pulledMs, by: -1 },
  ]);
  let running = 0;
  let most = 0;
  for (const { by } of edges.sort((a, b) => a.atMs - b.atMs || a.by - b.by)) {
    running += by;
    most = Math.max(most, running);
  }
  return most;
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 1e-3, µs: 1e-3 };

/** Milliseconds of a duration as Go writes it, `1m2.5s`. */
function goDurationMs(text: string): number {
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(h|ms|us|µs|m|s)/g);
  return [...parts].reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (unitMs[unit] ?? 0), 0);
}
