import type { MetricFamily } from './exposition.js';

/** A gate as a cluster shows it. */
export interface GateView {
  /** `alpha`, `beta`, `stable`, `deprecated`; undefined when unknown. */
  readonly stage: string | undefined;
  readonly components: ReadonlySet<string>;
}

/** Something that could not be asked for, and why: no right to, not served. */
export interface NotSeen {
  readonly seen: false;
  readonly why: string;
}

export type Seen<T> = { readonly seen: true; readonly value: T } | NotSeen;

/** What was seen of a cluster, as far as claims are about it. */
export interface ClusterView {
  readonly gates: Seen<ReadonlyMap<string, GateView>>;
  readonly metrics: Seen<ReadonlyMap<string, MetricFamily>>;
  /** Kinds, and groups with their version: `Pod`, `apps/v1`. */
  readonly kinds: Seen<ReadonlySet<string>>;
  readonly eventReasons: Seen<ReadonlySet<string>>;
  /** OpenAPI documents of the server, of version 2 or 3. */
  readonly openApi: Seen<readonly unknown[]>;
}
