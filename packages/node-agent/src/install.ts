/** What a node agent needs in the cluster, beside its process: kinds and rights. */
export { pullCrds } from './api/pull-crds.js';
export { agentAccount, nodeAgentManifests } from './rights/agent-rights.js';
