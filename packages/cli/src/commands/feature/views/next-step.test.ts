import type { Feature, FeatureStatus, ProcessSample } from '@slipway/features';
import { expect, test } from 'vitest';
import { nextStep } from './next-step.js';

function aFeature(status: FeatureStatus): Feature {
  const metadata = { name: 'widgets', namespace: 'acme' };
  return { apiVersion: 'features.slipway.dev/v1alpha1', kind: 'Feature', metadata, spec: { gate: 'Widgets' }, status };
}

function conditions(type: string, reason: string, status: 'True' | 'False' = 'True', message = 'because') {
  return [{ type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }];
}

const blocked = (reason: string, more: FeatureStatus = {}) =>
  aFeature({ ...more, conditions: conditions('Blocked', reason) });
const withSample = (sample: ProcessSample): FeatureStatus => {
  const counts = { expected: 1, on: 0, off: 0, unregistered: 0, silent: 0, waived: 0, read: 0 };
  const component = { name: 'kubelet', required: true, ...counts, versions: [], samples: [sample] };
  return { uses: { epoch: 1, reporting: 0, ...counts, components: [component] } };
};
const noCounts = { expected: 1, on: 1, off: 0, unregistered: 0, silent: 0, waived: 0, read: 0 };
const leavingUses = {
  ...{ epoch: 1, reporting: 1, ...noCounts },
  components: [{ name: 'kubelet', required: true, ...noCounts, pendingRestart: 1, versions: [], samples: [] }],
};
const away = { process: 'n7', node: 'n7', value: 'silent', cause: 'NodeDown' } as const;
const pinned = { process: 'kubelet.n7', node: 'n7', value: 'on', cause: 'ExplicitFlag' } as const;
const found = {
  resource: 'widgets.acme.io',
  namespace: 'shop',
  name: 'w',
  path: 'spec.fast',
  managers: [],
  via: 'Spec',
} as const;
const dangling = { count: 1, complete: true, scannedAt: '2026-01-01T00:00:00Z', samples: [found] };
const task = (name: string) => ({ name, kind: name, argsDigest: '', phase: 'Pending' as const });
const transition = {
  ...{ id: '1-a', seq: 1, to: 'Off' as const, cause: '', startedAt: '2026-01-01T00:00:00Z', plan: 'p', completed: [] },
  tasks: [{ ...task('WaitForUses'), message: '1 of 2' }, task('VerifyClean')],
};

// feature | what comes next | what a person does
test.each<[Feature, string, string?]>([
  [aFeature({ state: 'On' }), 'nothing; it is On'],
  [
    aFeature({
      state: 'On',
      settable: { mode: 'Dynamic' },
      uses: leavingUses,
      conditions: conditions('UpgradeSafe', 'PendingRestart', 'False'),
    }),
    'nothing by itself: because',
    'set Widgets=true in the --feature-gates of kubelet, or slipway feature on Widgets -n acme',
  ],
  [aFeature({ state: 'TurningOff', transition }), 'WaitForUses (1 of 2); then VerifyClean'],
  [
    aFeature({ conditions: conditions('Known', 'NotSeen', 'False') }),
    'nothing is done while',
    'create its FeatureDefinition again, or slipway feature retire Widgets -n acme --force',
  ],
  [blocked('NeedsApproval'), 'it waits for a user: because', 'slipway feature approve Widgets -n acme'],
  [blocked('Paused'), 'it waits', 'slipway feature resume Widgets -n acme'],
  [blocked('Forbidden'), 'it waits', 'slipway feature rbac Widgets -n acme | kubectl apply -f -'],
  [
    aFeature({ conditions: conditions('Blocked', 'NotPermitted', 'True', 'jane, who wrote the Feature, may not') }),
    'it waits',
    'give that user the right, or as a user who has it: slipway feature retry Widgets -n acme',
  ],
  [
    aFeature({ conditions: conditions('Blocked', 'NotPermitted', 'True', 'jane, who wrote the definition, may not') }),
    'it waits',
    'as a user who has it delete the FeatureDefinition widgets in acme and create it again',
  ],
  [
    aFeature({ conditions: conditions('Blocked', 'DependencyOff', 'True', 'Widgets needs Wheels: Wheels is Off') }),
    'it waits',
    'To fix: slipway feature on Wheels -n acme',
  ],
  [
    aFeature({ conditions: conditions('Blocked', 'ConflictOn', 'True', 'Widgets excludes Wheels is TurningOn') }),
    'it waits',
    'To fix: slipway feature get Wheels -n acme',
  ],
  [blocked('Definition'), 'it waits', 'kubectl -n acme edit featuredefinition widgets'],
  [blocked('ObjectsRemain', { dangling }), 'it waits', 'kubectl -n shop edit widgets.acme.io w'],
  [blocked('ObjectsRemain'), 'it waits', 'slipway feature retry Widgets -n acme'],
  [blocked('NotSeen'), 'it waits', 'slipway feature retire Widgets -n acme --force'],
  [blocked('TaskBlocked'), 'it waits', 'slipway feature retry Widgets -n acme'],
  [
    blocked('Stragglers', { ...withSample(pinned), state: 'Off' }),
    'it waits',
    'kubelet.n7: remove Widgets from its --feature-gates, or set it to false; or slipway feature waive Widgets -n acme --process kubelet.n7',
  ],
  [
    blocked('Stragglers', withSample(away)),
    'it waits',
    'slipway feature waive Widgets -n acme --node n7 --reason "..." --for 7d',
  ],
  [
    aFeature({ ...withSample(pinned), state: 'On', conditions: conditions('UsesConsistent', 'Drift', 'False') }),
    'nothing by itself: because, and it is On',
    'kubelet.n7: remove Widgets from its --feature-gates, or set it to true; or slipway feature waive',
  ],
  [
    aFeature({ ...withSample(away), state: 'On', conditions: conditions('UsesConsistent', 'Waived', 'False') }),
    'nothing; it is On but for what was passed over',
    'bring n7 back, or kubectl delete node n7',
  ],
  [
    aFeature({ ...withSample(away), state: 'On', conditions: conditions('UsesConsistent', 'Silent', 'False') }),
    'nothing by itself: because, and it is On',
    'kubectl get node n7',
  ],
  [
    aFeature({ state: 'Off', dangling, conditions: conditions('DanglingReferences', 'Found') }),
    'nothing by itself: because, and it is Off',
    'slipway feature clean Widgets -n acme --yes',
  ],
  [aFeature({ state: 'Off', conditions: conditions('DanglingReferences', 'NotScanned') }), 'nothing; it is Off'],
])('nextStep() of %j is %s', (feature, sentence, fix) => {
  const [next = '', toFix = ''] = nextStep(feature, { kind: 'alive' }).split('\n');
  expect(next).toContain(`Next: `);
  expect(next).toContain(sentence);
  expect(toFix.startsWith('To fix: ')).toBe(fix !== undefined);
  if (fix !== undefined) expect(toFix).toContain(fix);
});

test('nextStep() says that no feature server runs before anything else, and waits for one that has not seen the spec', () => {
  const feature = aFeature({ state: 'Off', observedGeneration: 1 });
  expect(nextStep(feature, { kind: 'absent', silentMs: 180_000 })).toMatch(
    /^Next: no feature server has run for 3 m; nothing will change until one does\nTo fix: .*slipway run feature-server/,
  );
  const changed = { ...feature, metadata: { ...feature.metadata, generation: 2 } };
  expect(nextStep(changed, { kind: 'alive' })).toBe('Next: a feature server takes up the newest change of its spec\n');
});
