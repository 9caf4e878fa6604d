export type { Author } from './api/author.js';
export type { Canary, CanaryStep } from './api/canary.js';
export { type ConditionType, conditionTypes, type Reason, reasons } from './api/conditions.js';
export { featureCrds } from './api/crds.js';
export type { Dangling, DanglingSample } from './api/dangling.js';
export {
  type Cleanup,
  type CompletedTask,
  type Configured,
  type Consent,
  type ConsentedObjects,
  type Desired,
  type EffectiveStage,
  Feature,
  type FeatureSpec,
  type FeatureState,
  type FeatureStatus,
  type GuardMode,
  type GuardPolicy,
  type GuardStatus,
  type Mode,
  type Pace,
  type PastTransition,
  type PlannedTask,
  type Progress,
  type Published,
  type Summary,
  type TaskArgs,
  type TaskPhase,
  type TaskResult,
  type TaskStatus,
  type Transition,
  type UsesPolicy,
  type Waiver,
} from './api/feature.js';
export {
  type ComponentDefinition,
  FeatureDefinition,
  type FeatureDefinitionSpec,
  type Reference,
  type RosterKind,
  type StageEntry,
  type TaskDefinition,
} from './api/feature-definition.js';
export { FeatureUse, type FeatureUseSpec } from './api/feature-use.js';
export { FeatureVector, type FeatureVectorSpec, type GateValue } from './api/feature-vector.js';
export { apiVersion, kubernetesNamespace, labels, serverNamespace } from './api/group.js';
export { featureName } from './api/names.js';
export { reachOf, type Scope, scopeOf } from './api/scope.js';
export type { Target } from './api/target.js';
export type { ComponentUses, ProcessSample, UsesStatus } from './api/uses-status.js';
export { builtInDefinitions } from './catalogue/built-in-definitions.js';
export { checkDefinition } from './catalogue/check-definition.js';
export {
  type AuthoredTask,
  clearField,
  custom,
  type DefinedFeature,
  DefinitionError,
  defineFeature,
  type FeatureAuthoring,
  waitForNoObjects,
} from './catalogue/define-feature.js';
export { imageVolume } from './catalogue/image-volume.js';
export { maxUnavailableStatefulSet } from './catalogue/max-unavailable-stateful-set.js';
export { nodeBalloons } from './catalogue/node-balloons.js';
export { openApiV3 } from './catalogue/open-api-v3.js';
export { parallelImagePullLimit } from './catalogue/parallel-image-pull-limit.js';
export { readLocalTasks } from './catalogue/read-local-tasks.js';
export { builtInTasks, type LocalTasks, TaskCatalog } from './catalogue/task-catalog.js';
export { type FeatureServer, type FeatureServerOptions, featureServer } from './controllers/feature-server.js';
export { type Guard, type Guards, guardsOf, type Served } from './guards/guard-policy.js';
export {
  isUnseen,
  type ServerLiveness,
  serverLiveness,
  serverProblem,
  serverRemedy,
} from './leadership/server-liveness.js';
export { consentMs, type Extent, maxConsentMs } from './lifecycle/consent.js';
export type { EventReason, NextAction, StepEvent } from './lifecycle/decision.js';
export { gatesNamed } from './lifecycle/dependencies.js';
export { planFor } from './lifecycle/plan.js';
export type { Situation } from './lifecycle/situation.js';
export { type Step, step } from './lifecycle/step.js';
export type { TaskOutcome, TaskReport } from './lifecycle/task-outcome.js';
export { longestWaiverMs, waiversInForce } from './lifecycle/waived-uses.js';
export {
  demandLifecycle,
  featureLifecycle,
  LifecycleError,
  type LifecycleOptions,
  type LifecycleReport,
  type LifecycleStep,
} from './lifecycle-test/feature-lifecycle.js';
export { type BackupSummary, deleteBackup, listBackups } from './operations/backups.js';
export { ChangeRefusedError } from './operations/change-refused.js';
export { featureManifests } from './operations/feature-manifests.js';
export { type Difference, findDifferences } from './operations/find-differences.js';
export { type Drift, findDrift } from './operations/find-drift.js';
export { findFeature } from './operations/find-feature.js';
export type { ConsentOptions, Shown } from './operations/give-consent.js';
export { type Adoption, adopt, manifestOf, previewImport } from './operations/import-features.js';
export { stampVersion } from './operations/install-author-policy.js';
export { installFeatureCrds } from './operations/install-crds.js';
export { dynamicVerb, installDynamicPolicy, setterRole } from './operations/install-dynamic-policy.js';
export { installReporterRole } from './operations/install-reporter-role.js';
export { listProcesses } from './operations/list-processes.js';
export { listUses, type ProcessUse, usesByNode } from './operations/list-uses.js';
export { observeUpgrade } from './operations/observe-upgrade.js';
export {
  isPrepared,
  type Preparation,
  previewPreparations,
  requestPreparation,
} from './operations/prepare-upgrade.js';
export {
  type ApprovalPreview,
  type ChangePreview,
  previewApproval,
  previewChange,
  previewClean,
} from './operations/preview-change.js';
export { readServerLiveness } from './operations/read-server-liveness.js';
export {
  approveTransition,
  isNotInstalled,
  requestChange,
  requestClean,
} from './operations/request-change.js';
export { type LeavingProcess, type ModePreview, previewMode, requestMode } from './operations/request-mode.js';
export { requestRetry } from './operations/request-retry.js';
export { type RequiredGate, type Requirements, requiredGates } from './operations/required-gates.js';
export { type LeftValue, type RestoreResult, restoreBackup } from './operations/restore.js';
export { retireFeature, whyKept } from './operations/retire-feature.js';
export { addWaiver, type NewWaiver, removeWaiver, type WaivedThing, WaiverError } from './operations/waive.js';
export { AuthorPolicyState } from './rbac/author-policy-state.js';
export { mergeSpec, ownAuthor } from './rbac/own-author.js';
export { reporterRole } from './rbac/reporter-role.js';
export { type DefinitionRights, rightsOf } from './rbac/rights-of-definition.js';
export { serverAccount } from './rbac/server-rights.js';
export { type FieldPath, FieldPathError, parseFieldPath, placesOf } from './references/field-path.js';
export { explainGate, type GateExplanation } from './releases/explain-gate.js';
export { kubernetesGates } from './releases/gate-catalogue.js';
export { gatesOfFeatures } from './render/gates-of-features.js';
export { type RenderTarget, renderGates, renderTargets } from './render/render-gates.js';
export { type LeftOutGate, type SettledGate, type SettledGates, settleGates } from './render/settle-gates.js';
export type { Survey, SurveyedGate } from './survey/survey.js';
export { surveyCluster } from './survey/survey-cluster.js';
export type { ClearFieldArgs } from './tasks/clear-field.js';
export type { InstallGuardOptions } from './tasks/install-guard.js';
export type { JobTemplate } from './tasks/job.js';
export {
  type AuthorContext,
  type AuthorResult,
  type AuthorTask,
  type RegisterTaskOptions,
  registerTask,
} from './tasks/register-task.js';
export { NotCoveredError, SupersededError, type Task } from './tasks/task.js';
export type { TaskContext } from './tasks/task-context.js';
export type { WebhookCall, WebhookEndpoint } from './tasks/webhook.js';
export { upgradeChecks } from './upgrade/checks/all-checks.js';
export { checkUpgrade, type UpgradeVerdict } from './upgrade/checks/check-upgrade.js';
export type { NotAnalysed } from './upgrade/coverage.js';
export type { Severity, UpgradeFinding } from './upgrade/upgrade-check.js';
export type { UpgradeView } from './upgrade/upgrade-view.js';
export { countUses, type UseCounts } from './uses/count-uses.js';
export { KnownReports } from './uses/known-reports.js';
export { remedies } from './uses/remedies.js';
export { type RollCall, rollCall } from './uses/roll-call.js';
export { nodeRoster } from './uses/roster.js';
export { slimUses } from './uses/slim-use.js';
