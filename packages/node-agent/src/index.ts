export { AgentMetrics } from './agent-metrics.js';
export type { Ports } from './local-components.js';
export { type NodeAgentOptions, nodeAgent } from './node-agent.js';
export type { PullLimiterPort, PullQueue, StartedPull, WaitingPull } from './pulls/pull-queue.js';
