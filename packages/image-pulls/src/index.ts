export { ConfigurationError, durationMs, limitOf } from './config/configuration-section.js';
export { KubeletFileError, readKubeletFiles } from './config/kubelet-files.js';
export { type KubeletLimit, type KubeletPullFields, kubeletLimit, kubeletPullRate } from './config/kubelet-limit.js';
export {
  type PullsConfiguration,
  pullsSettings,
  readPullsConfiguration,
  socketPath,
} from './config/pulls-configuration.js';
export { adminOf, bypassFileOf, defaultPullsSettings, type PullsSettings } from './config/pulls-settings.js';
export { configurationProblems, readConfigurationFile, readKubeletLimit } from './config/settings-files.js';
export { registryOf } from './cri/image-reference.js';
export type { ImageStatus } from './cri/image-status.js';
export type { PullSandbox, RegistryAuth } from './cri/pull-image-request.js';
export { type AdminClient, adminClient, DaemonAwayError, DaemonRefusedError } from './daemon/admin-client.js';
export type { DaemonState } from './daemon/pull-daemon.js';
export { type PullDaemon, type PullDaemonOptions, startPullDaemon } from './daemon/pull-daemon.js';
export { ListenError } from './daemon/unix-listener.js';
export type { JournalEntry } from './journal/journal-entry.js';
export { type Journal, readJournal } from './journal/read-journal.js';
export {
  type FailureReason,
  type ImageEnsured,
  ImageEnsurer,
  type ImageEnsurerOptions,
  type ImageWanted,
} from './kubelet/ensure-image.js';
export { CriError, type ImageService, type PullRequest } from './kubelet/image-service.js';
export type { NodePullEvent, PullEvent } from './kubelet/pull-event.js';
export { defaultPullRate, type PullRate } from './kubelet/pull-rate.js';
export { PullRecords, type VerificationPolicy } from './kubelet/pull-records.js';
export { fileRecords, memoryRecords, type RecordStore } from './kubelet/record-store.js';
export { type PullClock, systemClock } from './limiter/clock.js';
export { type OnFull, proposedRetry } from './limiter/on-full.js';
export { PullLimiter, type PullLimiterOptions } from './limiter/pull-limiter.js';
export { step } from './limiter/pull-queue.js';
export type { PullRecord } from './limiter/pull-record.js';
export { PullRefusedError } from './limiter/pull-refused-error.js';
export type { PullState, PullView } from './limiter/pull-state.js';
export {
  defaultQueueSettings,
  emptyQueue,
  type PullQueue,
  type QueueEvent,
  type QueueSettings,
  type RefusalReason,
} from './limiter/queue-state.js';
export type { Step } from './limiter/queue-step.js';
export { InstallRefusedError } from './node/file-change.js';
export { type InstallOptions, installedPaths, planInstall } from './node/install-plan.js';
export { InstalledFiles } from './node/installed-files.js';
export { checkNode, type NodeFinding } from './node/node-checks.js';
export { readNodeFacts } from './node/node-facts.js';
export type { PullProgress } from './progress/progress-watch.js';
export { CriImageService } from './runtime/cri-image-service.js';
export { type PastPulls, pastPullsOf, pastPullsOfEvents } from './what-if/past-pull.js';
export type { Outlook } from './what-if/simulate.js';
export { type WhatIf, whatIf } from './what-if/what-if.js';
