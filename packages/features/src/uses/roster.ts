import type { ProcessReport } from './process-report.js';

/** A process that should report, known from elsewhere than its report. */
export interface ExpectedProcess {
  /** How people name it. */
  readonly name: string;
  readonly node?: string;
  /** Whether what stands for it is still being renewed. */
  readonly live: boolean;
  /** Whether it runs on no node of the cluster, as on a managed control plane, so that no agent can read it. */
  readonly outOfReach?: boolean;
  /** Gates that it is known to have on, apart from reports: what its kubelet declares in the status of the node. */
  readonly declares?: readonly string[];
}

/** Where the expected processes of a component come from. */
export interface Roster {
  readonly expected: readonly ExpectedProcess[];
  /** Which of them made a report. */
  processOf(report: Pick<ProcessReport, 'instance' | 'node'>): ExpectedProcess | undefined;
  /**
   * What an expected process is while nothing renews it. A node that is away may
   * come back with the old value, so it is missed; an API server's identity is kept
   * long after its end, so it is gone.
   */
  readonly whenNotLive: 'silent' | 'gone';
  /** Why one that lives does not report: nothing there reads it, or it does not do so itself. */
  readonly whenUnheard: 'AgentMissing' | 'NoReport';
  /**
   * Which unexpected reports count: none; those that are still renewed; or
   * all, where reports are the only source, so that one that expired is missed.
   */
  readonly others: 'none' | 'renewed' | 'all';
}

/** Only what reports is known. */
export const selfRoster: Roster = {
  expected: [],
  processOf: () => undefined,
  whenNotLive: 'gone',
  whenUnheard: 'NoReport',
  others: 'all',
};

/**
 * One process per Node, or more if more report; a node is live while its lease in kube-node-lease is renewed.
 * @param declaredBy what the component declares in the status of a node
 */
export function nodeRoster(
  nodes: readonly string[],
  isLive: (node: string) => boolean,
  declaredBy: (node: string) => readonly string[] = () => [],
): Roster {
  const byName = new Map(
    nodes.map((node) => [node, { name: node, node, live: isLive(node), declares: declaredBy(node) }]),
  );
  return {
    expected: [...byName.values()],
    processOf: ({ instance, node }) => byName.get(node ?? instance),
    whenNotLive: 'silent',
    whenUnheard: 'AgentMissing',
    others: 'none',
  };
}

/** A pod whose process runs. */
export interface RunningPod {
  readonly name: string;
  readonly node: string;
}

/**
 * One process per running pod; it is live while its node is. Its report has the name of
 * the pod, or, where an agent reads the pods of its node, the name of the node if only one is there.
 */
export function podRoster(pods: readonly RunningPod[], isAway: (node: string) => boolean): Roster {
  const expected = pods.map(({ name, node }) => ({ name, node, live: !isAway(node) }));
  const byName = new Map(expected.map((process) => [process.name, process]));
  const nodes = new Map<string, number>();
  for (const { node } of pods) nodes.set(node, (nodes.get(node) ?? 0) + 1);
  for (const process of expected) if (nodes.get(process.node) === 1) byName.set(process.node, process);
  return {
    expected,
    processOf: ({ instance }) => byName.get(instance),
    whenNotLive: 'silent',
    whenUnheard: 'NoReport',
    others: 'none',
  };
}

export interface IdentityLease {
  readonly name: string;
  /** Unique per start of the process, beginning with the name of its host and `_`. */
  readonly holder?: string | undefined;
  readonly hostname?: string | undefined;
}

/**
 * One process per identity lease, or the one that holds the lease of the leader. A lease tells the host; `nodeOf` gives
 * the node of that host, since an agent reports what it reads under the name of its node. A process on another host is out of
 * reach of agents. Without `nodeOf` nothing is known of that.
 */
export function leaseRoster(
  leases: readonly IdentityLease[],
  isLive: (lease: string) => boolean,
  nodeOf?: (host: string) => string | undefined,
): Roster {
  const byName = new Map<string, ExpectedProcess>();
  const expected = leases.map(({ name, holder, hostname }) => {
    const host = hostname ?? holder?.split('_')[0];
    const node = host === undefined ? undefined : nodeOf?.(host);
    const outOfReach = nodeOf !== undefined && host !== undefined && node === undefined;
    const process = { name: host ?? name, live: isLive(name), outOfReach };
    for (const alias of [name, holder, host, node]) if (alias !== undefined) byName.set(alias, process);
    return process;
  });
  return {
    expected,
    processOf: ({ instance, node }) => byName.get(instance) ?? (node === undefined ? undefined : byName.get(node)),
    whenNotLive: 'gone',
    whenUnheard: 'NoReport',
    others: 'renewed',
  };
}
