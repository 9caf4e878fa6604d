export { KubeletFileError, readKubeletFiles } from './config/kubelet-files.js';
export { type KubeletLimit, type KubeletPullFields, kubeletLimit } from './config/kubelet-limit.js';
export {
  ConfigurationError,
  limitOf,
  type PullsConfiguration,
  pullsSettings,
  readPullsConfiguration,
  socketPath,
} from './config/pulls-configuration.js';
export { adminOf, defaultPullsSettings, type PullsSettings } from './config/pulls-settings.js';
export { readConfigurationFile, readKubeletLimit } from './config/settings-files.js';
export type { ImageStatus } from './cri/image-status.js';
export type { PullSandbox, RegistryAuth } from './cri/pull-image-request.js';
export { type AdminClient, adminClient, DaemonAwayError, DaemonRefusedError } from './daemon/admin-client.js';
export { type PullDaemon, type PullDaemonOptions, startPullDaemon } from './daemon/pull-daemon.js';
export { ListenError } from './daemon/unix-listener.js';
export {
  type FailureReason,
  type ImageEnsured,
  ImageEnsurer,
  type ImageEnsurerOptions,
  type ImageWanted,
} from './kubelet/ensure-image.js';
export { CriError, type ImageService, type PullRequest } from './kubelet/image-service.js';
export type { PullEvent } from './kubelet/pull-event.js';
export { type PullClock, systemClock } from './limiter/clock.js';
export { type OnFull, proposedRetry } from './limiter/on-full.js';
export { PullLimiter, type PullLimiterOptions, type PullState, type PullView } from './limiter/pull-limiter.js';
export { step } from './limiter/pull-queue.js';
export type { PullRecord } from './limiter/pull-record.js';
export { PullRefusedError } from './limiter/pull-refused-error.js';
export {
  defaultQueueSettings,
  emptyQueue,
  type Happened,
  type PullQueue,
  type QueueSettings,
  type RefusalReason,
  type Step,
} from './limiter/queue-state.js';
export { CriImageService } from './runtime/cri-image-service.js';
