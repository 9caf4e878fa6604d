import { scaledClock, startCluster } from '@slipway/devcluster';
import { silentLog, sleep, systemClock } from '@slipway/kube';
import { rightsIn } from '../testing/missing-rights.js';
import { agentToken, agentUser, nodeAgentRoles, nodeAgentTrial } from '../testing/node-agent-trial.js';
import { testWithoutRights } from '../testing/test-without-rights.js';

const timesAsFast = 20;

testWithoutRights({
  name: 'node agent',
  rights: rightsIn(nodeAgentRoles()),
  async start(signal) {
    const clock = scaledClock(timesAsFast);
    const tokens = { [agentToken]: agentUser };
    const options = { nodes: 1, version: '1.34', componentPages: true, tokens, clock, log: silentLog };
    const cluster = await startCluster(options);
    await cluster.ready();
    const pass = (ms: number) => sleep(systemClock, ms / timesAsFast);
    return { trial: await nodeAgentTrial(cluster, pass, signal), stop: () => cluster.stop() };
  },
  purposes: {
    nodes: 'its Node, for the port of the kubelet and for labels',
    'nodes/metrics': 'gates of the kubelet',
    'nodes/configz': 'which of them were set explicitly',
    'nodes/healthz': 'asking a kubelet that has it whether it is the same process',
    '/metrics': 'gates of scheduler and controller manager',
    '/flagz': 'which of them were set explicitly',
    'pods in kube-system': 'the same, from flags of static pods',
    events: 'waiting pulls, on their pods',
    'pulllimits.pulls.slipway.dev': 'the limit that applies to its node',
    'nodepullqueues.pulls.slipway.dev': 'the queue of its node',
  },
});
