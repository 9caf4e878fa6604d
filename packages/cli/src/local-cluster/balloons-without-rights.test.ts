import { balloonRoles, balloonTrial } from '../testing/balloon-trial.js';
import { rightsIn } from '../testing/missing-rights.js';
import { startInSteps, testWithoutRights } from '../testing/test-without-rights.js';

const nodeCapacity = { cpu: '16', memory: '64Gi', pods: '110' };

testWithoutRights({
  name: 'balloon controller',
  rights: rightsIn(balloonRoles()),
  start: (signal) => startInSteps({ nodes: 2, nodeCapacity }, (cluster) => balloonTrial(cluster, signal)),
  purposes: {
    nodes: 'allocatable amounts and labels; cordoning, taints and labels (update)',
    pods: 'requests of pods',
    persistentvolumeclaims: 'nodes on which the volumes of waiting pods can be used',
    persistentvolumes: 'the same',
    events: 'resizes of balloons by other clients that it undoes',
    'nodesizes.balloons.slipway.dev': 'desired sizes, one for each managed node',
    'nodesizes/status.balloons.slipway.dev': 'results',
    'balloonpolicies.balloons.slipway.dev': 'policies, and their finalizer (update)',
    'balloonpolicies/status.balloons.slipway.dev': 'their results',
    'hostpartitions.balloons.slipway.dev': 'shares of a host',
    'hostpartitions/status.balloons.slipway.dev': 'their results',
    'priorityclasses.scheduling.k8s.io': 'the classes of balloons, by name except for create',
    'nodes.metrics.k8s.io': 'metrics of use',
    'pods.metrics.k8s.io': 'use by balloons, which is subtracted',
    'pods in kube-system': 'balloons: reading one, removing its scheduling gate',
    'pods/resize in kube-system': 'resizing balloons',
    'daemonsets.apps in kube-system': 'balloons of a policy',
    'featurevectors.features.slipway.dev in kube-system': 'reporting its gate',
    'featureuses.features.slipway.dev in kube-system': 'reporting its gate; delete when it ends',
    'features.features.slipway.dev in kube-system': 'the published value of its gate',
    'configmaps in kube-system': 'requests for fresh reports, by name',
    'leases.coordination.k8s.io in slipway-system': 'election of the active process',
  },
});
