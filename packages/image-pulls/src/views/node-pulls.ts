/** As much of an Event of Kubernetes as says how a pull goes. */
export interface ClusterEvent {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly firstTimestamp?: string | null | undefined;
  readonly lastTimestamp?: string | null | undefined;
  readonly eventTime?: string | null | undefined;
  readonly source?: { readonly host?: string | undefined } | undefined;
  readonly reportingInstance?: string | undefined;
  readonly involvedObject?:
    | {
        readonly kind?: string | undefined;
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
        readonly uid?: string | undefined;
      }
    | undefined;
}

/** An image that a pod waits for, as its kubelet reports it. */
export interface NodePull {
  /** Pod and image. */
  readonly key: string;
  readonly node: string;
  /** `namespace/name` */
  readonly pod: string;
  readonly podUid: string;
  readonly image: string;
  /** A pull that failed is tried again by the kubelet, later each time. */
  readonly state: 'pulling' | 'failed';
  /** When this pull began, or when the first one failed. RFC 3339. */
  readonly since: string;
  /** What the kubelet says of it. */
  readonly message: string;
}

const texts: Readonly<Record<string, RegExp>> = {
  Pulling: /^Pulling image "([^"]*)"/,
  Pulled: /(?:pulled|Container) image "([^"]*)"/,
  Failed: /^Failed to pull image "([^"]*)"/,
  BackOff: /^Back-off pulling image "([^"]*)"/,
};

/** Whether an event says how a pull of an image goes. */
export function isPullEvent({ reason = '', message = '', involvedObject }: ClusterEvent): boolean {
  return (
    involvedObject?.kind === 'Pod' && (Object.hasOwn(texts, reason) ? texts[reason] : undefined)?.test(message) === true
  );
}

/** The node whose kubelet reports an event. */
export function nodeOfEvent({ source, reportingInstance = '' }: ClusterEvent): string {
  return source?.host ?? reportingInstance;
}

/**
 * The pulls that are under way or fail, by the events of kubelets, the longest first. Kubelets write times in whole seconds:
 * of events of one second, the end of a pull counts.
 */
export function nodePullsOf(events: readonly ClusterEvent[]): readonly NodePull[] {
  const byPull = new Map<string, NodePull | undefined>();
  const dated = events.filter(isPullEvent).map((event) => ({ event, atMs: timeOf(event) }));
  dated.sort((one, other) => one.atMs - other.atMs || rank(one.event) - rank(other.event));
  for (const { event } of dated) {
    const { reason = '', message = '', involvedObject: { namespace = '', name = '', uid = '' } = {} } = event;
    const image = texts[reason]?.exec(message)?.[1] ?? '';
    const key = `${uid} ${image}`;
    const before = byPull.get(key);
    const about = { key, node: nodeOfEvent(event), pod: `${namespace}/${name}`, podUid: uid, image, message };
    if (reason === 'Pulled') byPull.set(key, undefined);
    else if (reason === 'Pulling') byPull.set(key, { ...about, state: 'pulling', since: lastOf(event) });
    else {
      const since = before?.state === 'failed' ? before.since : (event.firstTimestamp ?? lastOf(event));
      // What a kubelet says of a back-off is less than what it said of the failure.
      const said = reason === 'BackOff' && before?.state === 'failed' ? before.message : message;
      byPull.set(key, { ...about, state: 'failed', since, message: said });
    }
  }
  const pulls = [...byPull.values()].flatMap((pull) => pull ?? []);
  return pulls.sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
}

function rank({ reason }: ClusterEvent): number {
  return reason === 'Pulling' ? 0 : 1;
}

function lastOf({ lastTimestamp, eventTime }: ClusterEvent): string {
  return lastTimestamp ?? eventTime ?? '';
}

function timeOf(event: ClusterEvent): number {
  return Date.parse(lastOf(event)) || 0;
}
