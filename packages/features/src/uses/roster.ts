/** A process that should report, known from elsewhere than its report. */
export interface ExpectedProcess {
  /** How people name it. */
  readonly name: string;
  /** Every name by which its report may call itself. */
  readonly instances: readonly string[];
  readonly node?: string;
  /** Whether what stands for it is still being renewed. */
  readonly live: boolean;
}

/** Where the expected processes of a component come from. */
export interface Roster {
  readonly expected: readonly ExpectedProcess[];
  /**
   * What an expected process is while nothing renews it. A node that is away may
   * come back with the old value, so it is missed; an API server's identity is kept
   * long after its end, so it is gone.
   */
  readonly whenNotLive: 'silent' | 'gone';
  /** Whether a report that nobody expected counts. */
  readonly open: boolean;
}

/** Only what reports is known. */
export const selfRoster: Roster = { expected: [], whenNotLive: 'gone', open: true };

/** One process per Node; a node is live while its lease in kube-node-lease is renewed. */
export function nodeRoster(nodes: readonly string[], isLive: (node: string) => boolean): Roster {
  const expected = nodes.map((node) => ({ name: node, instances: [node], node, live: isLive(node) }));
  return { expected, whenNotLive: 'silent', open: false };
}

/** One process per identity lease. */
export function leaseRoster(leases: readonly IdentityLease[], isLive: (lease: string) => boolean): Roster {
  const expected = leases.map(({ name, holder, hostname }) => ({
    name: hostname ?? name,
    instances: [name, holder, hostname].filter((text) => text !== undefined),
    live: isLive(name),
  }));
  return { expected, whenNotLive: 'gone', open: true };
}

export interface IdentityLease {
  readonly name: string;
  /** Unique per start of the process. */
  readonly holder?: string | undefined;
  readonly hostname?: string | undefined;
}
