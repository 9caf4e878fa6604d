export { createFeatureGate, type FeatureGate } from './feature-gate.js';
export type { FeatureGateOptions, RecallOptions, StartReportingOptions } from './feature-gate-options.js';
export { FeatureGateError } from './gate/feature-gate-error.js';
export type { GateSpecs } from './gate/gate-settings.js';
export type { GateState } from './gate/gate-values.js';
export type { GateWarning } from './gate/resolve.js';
export type { GateSpec, Stage, VersionedGateSpec } from './gate/specs.js';
export { isAllowed } from './live/allow-list.js';
export { type CanaryMember, type CanaryRule, canaryBucket, covers } from './live/canary-rules.js';
export type { ChangeHandler } from './live/hand-over.js';
export { readPublished } from './live/published.js';
export type { GateClock } from './uses/clock.js';
export { epochConfigMap } from './uses/epoch.js';
export {
  type ApplyError,
  type FeatureUseSpec,
  featureUseName,
  leaseDurationSeconds,
  type Owner,
} from './uses/feature-use.js';
export { type FeatureVectorSpec, type ReportedGate, type VectorGate, vectorName } from './uses/feature-vector.js';
export { type FetchTransportOptions, fetchTransport } from './uses/fetch-transport.js';
export { type InClusterOptions, inClusterTransport } from './uses/in-cluster-transport.js';
export { queriedGates } from './uses/queried-bitmap.js';
export {
  type GateSource,
  type ObservedProcess,
  type Reporting,
  type ReportingOptions,
  reportUses,
} from './uses/reporter.js';
export type { GateFrame, GateRequest, GateResponse, GateTransport } from './uses/transport.js';
