/** The kinds about image pulls, without the agent. */
export {
  isCurrent,
  NodePullQueue,
  type NodePullQueueSpec,
  type QueuedPull,
  type RunningPull,
} from './api/node-pull-queue.js';
export { PullLimit, type PullLimitSpec } from './api/pull-limit.js';
