import { isOfSystem } from '../api/group.js';

/** What the reports of one namespace may make a feature server hold and write. */
export interface ReportLimits {
  /** FeatureUses that are counted. */
  readonly reports: number;
  /** FeatureVectors whose values are kept. */
  readonly vectors: number;
  /** Features that are announced only because a process reports their gate. */
  readonly features: number;
}

/** A namespace of tenants: whoever may report there is not trusted with the memory of the server. */
const tenant: ReportLimits = { reports: 1_000, vectors: 200, features: 1_000 };
/** Where Kubernetes' components and our own report: ten processes on each of 5,000 nodes. */
const system: ReportLimits = { reports: 50_000, vectors: 2_000, features: 5_000 };

/** Limits of each namespace. `maxReports` is for those of tenants: a DaemonSet there may be larger. */
export function reportLimits(maxReports = tenant.reports): (namespace: string) => ReportLimits {
  const raised = { ...tenant, reports: maxReports };
  return (namespace) => (isOfSystem(namespace) ? system : raised);
}
