import type { Target } from '../api/target.js';
import type { SampleCause } from '../api/uses-status.js';

/** What a person does about a process that does not come along, by why it does not. */
export const remedies: Readonly<Record<SampleCause, (gate: string, to: Target) => string>> = {
  ExplicitFlag: (gate, to) => `remove ${gate} from its --feature-gates, or set it to ${to === 'On'}`,
  PendingRestart: (_gate, to) => `restart it: it is ${to.toLowerCase()} when it starts`,
  NotFollowing: (gate, to) =>
    `set ${gate}=${to === 'On'} in its --feature-gates, or let it take the published value with --dynamic-features=${gate}`,
  ChangeRefused: () => 'it does not take the published value; applyErrors of its FeatureUse says why',
  TooOld: () => 'it does not know the gate; upgrade it, or exclude its version with minVersion',
  GateRemoved: (gate) =>
    `it no longer has the gate; add a stage Removed at its version to the FeatureDefinition of ${gate}, with the value it behaves by`,
  NotPublished: (gate, to) => `no value is published to it; set ${gate}=${to === 'On'} in its --feature-gates`,
  NodeDown: () => 'bring the node back, delete the Node, or waive it',
  AgentMissing: () => 'the node lives and no agent reads it; see to its slipway-node-agent',
  NoReport: () => 'it should report and has not; see to its log',
  OutOfReach: () =>
    'it runs on no node of this cluster, so that no agent can read it; find out its value where it runs, and waive it',
  ReportExpired: () => 'delete the FeatureUse if the process is gone',
  OverLimit: () =>
    'its namespace has more FeatureUses than are counted; delete those of processes that are gone, or raise --max-reports of the feature server',
  NotYetConfirmed: () => 'it has not answered yet',
};
