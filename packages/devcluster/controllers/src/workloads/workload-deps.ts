import type { InformerFactory, Kube, Logger } from '@slipway/kube';

/** What the controllers of workloads need. */
export interface WorkloadDeps {
  readonly kube: Kube;
  readonly informers: InformerFactory;
  readonly log: Logger;
}
