import type { Side } from './side.js';

type Value = { [key: string]: Value } & Value[];

/** What each node, each moment and each run has of its own. */
const neutral: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/(?:containerd|simulated):\/\/[0-9a-f]{64}/g, '<container>'],
  [/\b(?:172\.18|10\.\d+)\.\d+\.\d+\b/g, '<address>'],
  [/kube-api-access-\w{5}/g, 'kube-api-access'],
  [/ in [\dµa-z.]+ \([\dµa-z.]+ including waiting\)(?:\. Image size: \d+ bytes\.)?/g, ' in <time>'],
];

/** What both sides say of one pod: its status, and the events about it. */
export interface ComparablePod {
  readonly status: unknown;
  readonly events: readonly string[];
}

/** The pods of a namespace by name, without what differs between two nodes by nature. */
export async function comparablePods(
  side: Side,
  namespace: string,
  node: string,
): Promise<ReadonlyMap<string, ComparablePod>> {
  const [pods, events] = await Promise.all(
    ['pods', 'events'].map(async (kind) => {
      const { stdout } = await side.kubectl(['get', kind, '-n', namespace, '-o', 'json']);
      const text = neutral.reduce((all, [own, means]) => all.replace(own, means), stdout);
      return (JSON.parse(text) as { items: Value[] }).items;
    }),
  );
  return new Map(
    (pods ?? []).map((pod) => {
      const ofPod = (events ?? []).filter(({ involvedObject }) => involvedObject?.name === pod.metadata?.name);
      const said = ofPod.filter(isTold).map(({ type, reason, message, involvedObject }) => {
        // A command that is cut off says less, and one at a busy node runs out of time.
        const text = String(message)
          .replace(`to ${node}`, 'to <node>')
          .replace(/(?<=probe failed: ).*/s, '<output>');
        return [type, reason, involvedObject?.fieldPath ?? '', text].join(' ');
      });
      return [String(pod.metadata?.name), { status: statusOf(pod), events: [...new Set(said)].sort() }];
    }),
  );
}

/** Not told: how often a container fails, what comes of a probe of one that has ended, and objects no longer followed. */
function isTold({ message }: Value): boolean {
  return !/^Back-off restarting| probe errored and resulted in unknown state| not registered/.test(String(message));
}

function statusOf({ status, metadata }: Value): unknown {
  // Resources of whole pods are those of control groups, in the units of these.
  const { conditions, resources: _, allocatedResources: __, ...others } = status as Value;
  const isStopped = metadata?.deletionTimestamp !== undefined || String(others.reason) === 'DeadlineExceeded';
  const isOver = /Succeeded|Failed/.test(String(others.phase));
  const ofContainers = ['initContainerStatuses', 'containerStatuses'].map((list) => {
    const statuses = (others[list] ?? []) as unknown as ContainerValue[];
    // Sidecars are stopped when the others are done.
    const areStopped = isStopped || (list === 'initContainerStatuses' && isOver);
    return [list, statuses.map((each) => containerOf(each, areStopped))];
  });
  const isSooner = (a: Value, b: Value) => (String(a.type) < String(b.type) ? -1 : 1);
  return sorted({
    ...others,
    ...Object.fromEntries(ofContainers),
    ...(isStopped && { phase: String(others.phase).replace(/Succeeded|Failed/, 'over') }),
    conditions: [...(conditions ?? [])].sort(isSooner).map(({ reason, ...condition }) => {
      const isOfEnd = isStopped && /^Pod(?:Completed|Failed)$/.test(String(reason));
      return { ...condition, ...(reason && !isOfEnd && { reason }) };
    }),
    generation: metadata?.generation,
  });
}

interface ContainerValue {
  readonly restartCount: number;
  readonly state: { readonly terminated?: EndValue; readonly waiting?: { readonly reason: string } };
  readonly lastState: { readonly terminated?: EndValue };
}

interface EndValue {
  readonly exitCode: number;
  readonly reason: string;
}

/**
 * How often a container was started that fails again and again depends on the moment. One that is told to stop ends
 * here with 0, and at a real node with what its program makes of that.
 */
function containerOf(status: ContainerValue, isStopped: boolean): unknown {
  const { restartCount, state, lastState, ...others } = status;
  const isLooping = state.waiting?.reason === 'CrashLoopBackOff';
  const ended = state.terminated ?? (isLooping ? lastState.terminated : undefined);
  if (!ended || (restartCount === 0 && !isStopped)) return status;
  if (isStopped && restartCount > 0) return { ...others, ended: 'some time' };
  const isKilled = isStopped && /^(?:Completed|Error)$/.test(ended.reason) && [0, 137].includes(ended.exitCode);
  return { ...others, ended: isKilled ? 'killed' : ended };
}

/** With keys in order, and images without what they were resolved to. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, key === 'imageID' ? each !== '' : sorted(each)]));
}
