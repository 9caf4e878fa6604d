/**
 * The server flow and what it is started with: what a process needs that runs it and reads nothing of
 * upgrades, drift or lifecycle tests. All of it is exported by the package itself, too.
 */
export { Feature } from './api/feature.js';
export { FeatureDefinition } from './api/feature-definition.js';
export { imageVolume } from './catalogue/image-volume.js';
export { maxUnavailableStatefulSet } from './catalogue/max-unavailable-stateful-set.js';
export { openApiV3 } from './catalogue/open-api-v3.js';
export type { LocalTasks } from './catalogue/task-catalog.js';
export { type FeatureServerOptions, featureServer } from './controllers/feature-server.js';
export { featureManifests } from './operations/feature-manifests.js';
export { findFeature } from './operations/find-feature.js';
export { stampVersion } from './operations/install-author-policy.js';
export { installFeatureCrds } from './operations/install-crds.js';
export { installReporterRole } from './operations/install-reporter-role.js';
export { rightsOf } from './rbac/rights-of-definition.js';
export { serverAccount } from './rbac/server-rights.js';
export type { InstallGuardOptions } from './tasks/install-guard.js';
