import { featureServerRoles, featureServerTrial } from '../testing/feature-server-trial.js';
import { rightsIn } from '../testing/missing-rights.js';
import { startInSteps, testWithoutRights } from '../testing/test-without-rights.js';

const vaps = 'validatingadmissionpolicies.admissionregistration.k8s.io';
/** The part of the process that reads API servers has a test of its own, with real connections. */
const ofPages = /endpointslices|^get \//;

testWithoutRights({
  name: 'feature server',
  rights: rightsIn(featureServerRoles()).filter(({ verb }) => !ofPages.test(verb)),
  start: (signal) => startInSteps({ nodes: 1, version: '1.34' }, (cluster) => featureServerTrial(cluster, signal)),
  /** Not to have guards is an option of an installation, which the condition GuardActive shows as NotGuarded. */
  elsewhere: { [`create ${vaps}`]: '`GuardActive` is `NotGuarded`' },
  purposes: {
    'features.features.slipway.dev': 'announcing gates, deciding about them, retiring unknown ones',
    'features/status.features.slipway.dev': 'states, tasks and conditions',
    'featuredefinitions.features.slipway.dev': 'definitions, those included in the server among them',
    'featuredefinitions/status.features.slipway.dev': 'saying whether a definition can be carried out',
    'featureuses.features.slipway.dev': 'reports of processes',
    'featurevectors.features.slipway.dev': 'gates and values in those reports',
    nodes: 'rosters of components on nodes',
    pods: 'rosters of components in pods',
    'leases.coordination.k8s.io': 'rosters of components with leases, and its peers',
    events: 'events of Features',
    configmaps: 'requesting fresh reports',
    'subjectaccessreviews.authorization.k8s.io': 'rights of authors',
    [vaps]: 'the policy that verifies authors (get), and guards',
    'validatingadmissionpolicybindings.admissionregistration.k8s.io': 'bindings of these policies',
    'leases.coordination.k8s.io in slipway-system': 'its own lease, and those of servers that are gone',
    'statefulsets.apps': '`feature rbac`: finding and clearing uses of MaxUnavailableStatefulSet',
    'statefulsets.apps in slipway-trials': '`feature rbac`: trying its guard',
    'secrets in slipway-system': '`feature rbac`: backups of cleared values',
  },
});
