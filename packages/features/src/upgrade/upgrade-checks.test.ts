import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { FeatureStatus, TaskResult } from '../api/feature.js';
import type { UsesStatus } from '../api/uses-status.js';
import { versionPlan } from '../lifecycle/version-tasks.js';
import { aDeclaredGate, aGroup, anUpgrade, aReportedFeature } from '../testing/an-upgrade.js';
import { upgradeChecks } from './checks/all-checks.js';
import { checkUpgrade } from './checks/check-upgrade.js';
import type { StoredKind, UpgradeView } from './upgrade-view.js';

const scanned = { complete: true, scannedAt: '2026-01-01T00:00:00Z', samples: [] };
const uses = (silent: number, on = 0): UsesStatus => {
  const counts = { expected: 2, on, off: 2 - silent - on, unregistered: 0, silent, waived: 0, read: 0 };
  const samples = [{ process: 'n7', value: 'silent' as const }];
  return {
    epoch: 1,
    reporting: 2 - silent,
    ...counts,
    components: [{ name: 'kubelet', required: true, versions: [], samples, ...counts }],
  };
};
/** One of two kubelets is let be. */
const waived: UsesStatus = {
  ...uses(0),
  components: uses(0).components.map((one) => ({
    ...one,
    off: 1,
    waived: 1,
    samples: [{ process: 'n7', value: 'on' as const, waiver: 'w-1' }],
  })),
};
const condition = (type: string, status: 'True' | 'False'): FeatureStatus => ({
  state: 'Off',
  conditions: [{ type, status, reason: 'Any', message: 'because', lastTransitionTime: '2026-01-01T00:00:00Z' }],
});
const server = (values: string, more: Parameters<typeof aGroup>[2] = {}) => [aGroup('kube-apiserver', values, more)];
const kubelets = (version: string) => [aGroup('kubelet', 'Steady=true', { version })];
const rising = new Map([aDeclaredGate('Rising')]);

const kites = (overrides: Partial<StoredKind>): UpgradeView['stored'] => [
  { group: 'toys.k8s.io', kind: 'Kite', resource: 'kites', versions: ['v1alpha1'], objects: 2, ...overrides },
];
const emptied = new Map([
  aDeclaredGate('Rising', {
    upgrade: [{ from: '1.34', to: '1.35', kind: 'ClearCollection', args: { group: 'toys.k8s.io', resource: 'yoyos' } }],
  }),
]);
const yoyos = (objects: number): UpgradeView['stored'] => [
  { group: 'toys.k8s.io', kind: 'Yoyo', resource: 'yoyos', versions: ['v1alpha1'], objects },
];
const prepared = (result: TaskResult, objects?: number): Partial<UpgradeView> => {
  const definition = emptied.get('Rising');
  const plan = definition && versionPlan(definition, { from: '1.34', to: '1.35' }, () => false);
  const done = {
    kind: 'ClearCollection',
    argsDigest: '',
    at: '2026-01-01T00:00:00Z',
    seconds: 1,
    result,
    ...(objects !== undefined && { objects }),
  };
  const maintenance = {
    id: 'm1',
    from: '1.34',
    to: '1.35',
    startedAt: '2026-01-01T00:00:00Z',
    plan: plan?.digest ?? '',
    tasks: [],
    completed: [{ name: 'ClearCollection', ...done }],
  };
  return { definitions: emptied, features: [aReportedFeature('Rising', { state: 'Off', maintenance })] };
};

interface Pair {
  readonly id: string;
  readonly what: string;
  readonly bad: Partial<UpgradeView>;
  readonly good: Partial<UpgradeView>;
  /** Severity, then words of the message. */
  readonly says: readonly [string, string];
}

const hoops = (...versions: string[]): UpgradeView['stored'] => [
  { group: 'toys.k8s.io', kind: 'Hoop', resource: 'hoops', versions, objects: 0 },
];

const pairs: readonly Pair[] = [
  {
    id: 'U017',
    what: 'a target beyond the facts, and the newest that they tell of',
    bad: { from: '1.37', to: '1.38' },
    good: { from: '1.36', to: '1.37' },
    says: ['unknown', 'gates are known up to v1.37, as of 2026-07-24: which of them v1.38 removes'],
  },
  {
    id: 'U018',
    what: 'a version that goes, and one that stays',
    bad: { stored: hoops('v1', 'v1beta1') },
    good: { stored: hoops('v1') },
    says: ['warning', 'v1.35 does not serve toys.k8s.io/v1beta1 Hoop'],
  },
  {
    id: 'U016',
    what: 'no feature server that runs, and one that does',
    bad: { servers: { kind: 'absent', silentMs: 180_000 } },
    good: { servers: { kind: 'alive' } },
    says: ['unknown', 'no feature server has run for 3 m; nothing will change until one does'],
  },
  {
    id: 'U001',
    what: 'a removed gate, and one that is still there',
    bad: { groups: server('Proven=true!') },
    good: { groups: server('Steady=true! Proven=true') },
    says: ['blocker', 'v1.35 no longer has the gate, and refuses to start with Proven=true of kube-apiserver (one)'],
  },
  {
    id: 'U001',
    what: 'on the way back, a gate that did not exist, and one that did',
    bad: { from: '1.35', to: '1.34', groups: server('Fresh=false!') },
    good: { from: '1.35', to: '1.34', groups: server('Rising=false!') },
    says: ['blocker', 'v1.34 does not have the gate yet'],
  },
  {
    id: 'U001',
    what: 'a gate whose end is not proven, and the version that it was seen in',
    bad: { groups: server('Seen=true!') },
    good: { from: '1.33', to: '1.34', groups: server('Seen=true!') },
    says: ['unknown', 'whether v1.35 still has the gate is not known'],
  },
  {
    id: 'U001',
    what: 'a removal that is certain in the end only, and a gate that stays',
    bad: { to: '1.37', groups: server('Seen=true!') },
    good: { to: '1.37', groups: server('Steady=true!') },
    says: ['blocker', 'v1.37 no longer has the gate'],
  },
  {
    id: 'U002',
    what: 'the other value, and the value that it is locked to',
    bad: { groups: server('Locking=false!') },
    good: { groups: server('Locking=true!') },
    says: ['blocker', 'v1.35 locks the gate to true'],
  },
  {
    id: 'U002',
    what: 'a lock that lies on the way to a later version, and one still ahead',
    bad: { to: '1.37', groups: server('Locking=false!') },
    good: { from: '1.33', to: '1.34', groups: server('Locking=false!') },
    says: ['blocker', 'v1.35 locks'],
  },
  {
    id: 'U003',
    what: 'a default that is not set, and one that is pinned',
    bad: { groups: server('Rising=false Fresh=true!') },
    good: { groups: server('Rising=false! Fresh=true! OneWay=false! Held=false') },
    says: ['warning', 'turns on in kube-apiserver'],
  },
  {
    id: 'U003',
    what: 'a decision of a person that the API hands out',
    bad: { groups: server('Rising=false Fresh=true! OneWay=false!') },
    good: {
      groups: server('Rising=false Fresh=true! OneWay=false!'),
      features: [aReportedFeature('Rising', { state: 'Off', published: { value: false, epoch: 1 } }, 'Off')],
    },
    says: ['warning', 'turns on'],
  },
  {
    id: 'U004',
    what: 'a feature on its way, and at rest',
    bad: { features: [aReportedFeature('Steady', { state: 'TurningOff' })] },
    good: { features: [aReportedFeature('Steady', { state: 'Off' })] },
    says: ['blocker', 'is TurningOff'],
  },
  {
    id: 'U004',
    what: 'a blocked feature, and one that is not',
    bad: { features: [aReportedFeature('Steady', condition('Blocked', 'True'))] },
    good: { features: [aReportedFeature('Steady', condition('Blocked', 'False'))] },
    says: ['blocker', 'is blocked: because'],
  },
  {
    id: 'U004',
    what: 'a feature that a listing calls blocked, and one that it calls ok',
    bad: { features: [aReportedFeature('Steady', condition('UpgradeSafe', 'False'))] },
    good: { features: [aReportedFeature('Steady', condition('UpgradeSafe', 'True'))] },
    says: ['blocker', 'Any: because'],
  },
  {
    id: 'U005',
    what: 'old values left of a gate that stays off, and none',
    bad: {
      definitions: rising,
      groups: server('Rising=false!'),
      features: [aReportedFeature('Rising', { state: 'Off', dangling: { ...scanned, count: 3 } })],
    },
    good: {
      definitions: rising,
      groups: server('Rising=false!'),
      features: [aReportedFeature('Rising', { state: 'Off', dangling: { ...scanned, count: 0 } })],
    },
    says: ['blocker', 'leaves the gate off; objects with old values: 3'],
  },
  {
    id: 'U005',
    what: 'old values left, and none',
    bad: {
      definitions: rising,
      groups: server('Rising=false'),
      features: [aReportedFeature('Rising', { state: 'Off', dangling: { ...scanned, count: 3 } })],
    },
    good: {
      definitions: rising,
      groups: server('Rising=false'),
      features: [aReportedFeature('Rising', { state: 'Off', dangling: { ...scanned, count: 0 } })],
    },
    says: ['blocker', 'objects with old values: 3'],
  },
  {
    id: 'U005',
    what: 'not scanned, and the gate is pinned off',
    bad: {
      definitions: rising,
      groups: server('Rising=false'),
      features: [aReportedFeature('Rising', { state: 'Off' })],
    },
    good: {
      definitions: rising,
      groups: server('Rising=false!'),
      features: [aReportedFeature('Rising', { state: 'Off' })],
    },
    says: ['unknown', 'not all objects were scanned'],
  },
  {
    id: 'U006',
    what: 'objects in a version that the target cannot decode, and none',
    bad: { stored: kites({}) },
    good: { stored: kites({ objects: 0 }) },
    says: ['blocker', '2 kites.toys.k8s.io: v1.35 cannot decode v1alpha1, in which they are stored'],
  },
  {
    id: 'U006',
    what: 'a version that goes among others, and the one that is stored staying',
    bad: { stored: kites({ versions: ['v1', 'v1alpha1'] }) },
    good: { stored: kites({ kind: 'Top', versions: ['v1beta1'], storedAs: 'v1beta1' }) },
    says: ['unknown', 'in which some may still be stored'],
  },
  {
    id: 'U006',
    what: 'on the way back, a version that did not exist yet, and one that did',
    bad: { from: '1.35', to: '1.34', stored: kites({ versions: ['v1beta1', 'v1'], storedAs: 'v1beta1' }) },
    good: { from: '1.35', to: '1.34', stored: kites({ kind: 'Top', versions: ['v1beta1'] }) },
    says: ['blocker', 'v1.34 cannot decode v1beta1, in which they are stored'],
  },
  {
    id: 'U006',
    what: 'a version that is stored and not served, and a new one that is served and not stored yet',
    bad: { stored: kites({ versions: ['v1beta1'], storedAs: 'v1alpha1' }) },
    good: { from: '1.35', to: '1.34', stored: kites({ versions: ['v1beta1'], storedAs: 'v1alpha1' }) },
    says: ['blocker', 'v1.35 cannot decode v1alpha1, in which they are stored'],
  },
  {
    id: 'U018',
    what: 'on the way back, a version that did not exist yet, and one that did',
    bad: { from: '1.35', to: '1.34', stored: kites({ versions: ['v1beta1'] }) },
    good: { from: '1.36', to: '1.35', stored: kites({ versions: ['v1beta1'] }) },
    says: ['warning', 'v1.34 does not serve toys.k8s.io/v1beta1 Kite'],
  },
  {
    id: 'U006',
    what: 'skipping a version, what only the one in between cannot decode, and what all can',
    bad: { from: '1.33', to: '1.36', stored: kites({ kind: 'Top', versions: ['v1beta1'] }) },
    good: { from: '1.33', to: '1.35', stored: kites({ kind: 'Top', versions: ['v1beta1'] }) },
    says: ['blocker', 'v1.36 cannot decode v1beta1'],
  },
  {
    id: 'U006',
    what: 'a kind that may not be listed, and one that may',
    bad: { stored: [{ group: 'toys.k8s.io', kind: 'Kite', resource: 'kites', versions: ['v1alpha1'] }] },
    good: { stored: kites({ objects: 0 }) },
    says: ['blocker', 'an unknown number of kites.toys.k8s.io'],
  },
  {
    id: 'U006',
    what: 'a collection that its author wants emptied, and one that is',
    bad: { definitions: emptied, stored: yoyos(3) },
    good: { definitions: emptied, stored: yoyos(0) },
    says: ['blocker', '3 yoyos.toys.k8s.io: v1.35 means something else by what is stored'],
  },
  {
    id: 'U011',
    what: 'a task that was not run, and one that was',
    bad: { definitions: emptied, features: [aReportedFeature('Rising', { state: 'Off' })] },
    good: prepared('Done'),
    says: ['blocker', 'not run yet, and due before v1.35: ClearCollection'],
  },
  {
    id: 'U011',
    what: 'a task that was waived, and one that found nothing to do',
    bad: prepared('Waived'),
    good: prepared('Skipped', 0),
    says: ['blocker', 'not run yet'],
  },
  {
    id: 'U011',
    what: 'a task that was skipped, and another way than the one that it is for',
    bad: prepared('Skipped'),
    good: { from: '1.35', to: '1.36', definitions: emptied },
    says: ['blocker', 'not run yet'],
  },
  {
    id: 'U007',
    what: 'a needed gate set off, and both',
    bad: { groups: server('Rising=false Steady=false!') },
    good: { groups: server('Rising=false! Steady=false!') },
    says: ['blocker', 'will be on and needs Steady, which is set off in kube-apiserver (one)'],
  },
  {
    id: 'U008',
    what: 'a gate of no return, and one that can be turned off',
    bad: { groups: server('OneWay=false') },
    good: { groups: server('Rising=false') },
    says: ['warning', 'does not support turning it off'],
  },
  {
    id: 'U009',
    what: 'a silent process, and none',
    bad: { features: [aReportedFeature('Steady', { state: 'On', uses: uses(1) })] },
    good: { features: [aReportedFeature('Steady', { state: 'On', uses: uses(0) })] },
    says: ['unknown', 'processes of kubelet that are silent or waived: 1 (n7)'],
  },
  {
    id: 'U009',
    what: 'a process that is waived, and none',
    bad: { features: [aReportedFeature('Steady', { state: 'On', uses: waived })] },
    good: { features: [aReportedFeature('Steady', { state: 'On', uses: uses(0) })] },
    says: ['unknown', 'processes of kubelet that are silent or waived: 1 (n7)'],
  },
  {
    id: 'U009',
    what: 'a kubelet four versions older, and three',
    bad: { to: '1.37', groups: kubelets('v1.33.1') },
    good: { to: '1.37', groups: kubelets('v1.34.1') },
    says: ['blocker', 'more than 3 minor versions older than v1.37'],
  },
  {
    id: 'U009',
    what: 'a kubelet newer than the API server will be, and as new',
    bad: { to: '1.33', groups: kubelets('v1.34.1') },
    good: { to: '1.33', groups: kubelets('v1.33.1') },
    says: ['blocker', 'may not be newer than the API server'],
  },
  {
    id: 'U009',
    what: 'without and with a report',
    bad: { groups: [] },
    good: {},
    says: ['unknown', 'no kubelet has reported what it runs'],
  },
  {
    id: 'U009',
    what: 'a report without its values, and with them',
    bad: { groups: [{ component: 'kubelet', version: 'v1.34.0', processes: ['n1'] }] },
    good: { groups: kubelets('v1.34.0') },
    says: ['unknown', 'the values that kubelet (n1) reports are not there'],
  },
  {
    id: 'U010',
    what: 'a forgotten gate in use, and unused',
    bad: { features: [aReportedFeature('Gone', { ...condition('Known', 'False'), uses: uses(0, 2) })] },
    good: { features: [aReportedFeature('Gone', { ...condition('Known', 'False'), uses: uses(0) })] },
    says: ['warning', 'processes with it on: 2'],
  },
  {
    id: 'U012',
    what: 'the usual compatibility version, and a default without condition',
    bad: { groups: server('Held=false') },
    good: { groups: server('Rising=false') },
    says: ['info', 'only with --min-compatibility-version=1.35'],
  },
  {
    id: 'U013',
    what: 'a value set of a gate that is done, and one that is young',
    bad: { groups: server('Locking=true!') },
    good: { groups: server('Rising=true!') },
    says: ['warning', 'is GA in v1.35 and will be removed'],
  },
  {
    id: 'U014',
    what: 'all alphas, and single ones',
    bad: { groups: server('AllAlpha=true!') },
    good: { groups: server('Rising=true!') },
    says: ['warning', 'AllAlpha=true: 1 more (Dreamt), 2 fewer (OneWay, Rising)'],
  },
  {
    id: 'U015',
    what: 'a feature in use that the older version lacks, and one that it has',
    bad: {
      from: '1.35',
      to: '1.34',
      definitions: new Map([aDeclaredGate('Fresh')]),
      features: [aReportedFeature('Fresh', { state: 'On' })],
    },
    good: { from: '1.35', to: '1.34', definitions: rising, features: [aReportedFeature('Rising', { state: 'On' })] },
    says: ['blocker', 'is on, v1.34 does not have it'],
  },
];

test.each(pairs)('$id tells apart: $what', ({ id, bad, good, says: [severity, message] }) => {
  const found = (view: Partial<UpgradeView>) =>
    checkUpgrade(anUpgrade(view)).findings.filter(({ check }) => check === id);
  expect(found(bad)).toContainEqual(expect.objectContaining({ severity, message: expect.stringContaining(message) }));
  expect(found(bad).every(({ fix }) => fix)).toBe(true);
  // New gates of the release are told of in any case, by a finding that names no gate.
  expect(found(good).filter(({ check, gate }) => check !== 'U003' || gate)).toEqual([]);
});

test.each(upgradeChecks)('$id has a page that says the same, and a pair above', ({ id, summary, severity }) => {
  const page = fileURLToPath(new URL(`../../../../docs/reference/upgrade/${id}.md`, import.meta.url));
  expect(existsSync(page)).toBe(true);
  const text = readFileSync(page, 'utf8');
  expect(text.split('\n')[0]).toBe(`# ${id}: ${summary}`);
  expect(text).toContain(`Severity: ${severity}`);
  expect(text).toContain('**To fix.**');
  expect(pairs.map((pair) => pair.id)).toContain(id);
});

test.each([
  ['v1.33.1', '1.37', 'upgrade them first, to v1.34'],
  ['v1.34.1', '1.38', 'upgrade them on the way, to v1.35 or later before the API server is v1.38'],
  ['v1.31.0', '1.37', 'upgrade them first, to v1.34'],
])('a kubelet %s that is too old for %s: %s', (version, to, fix) => {
  const { findings } = checkUpgrade(anUpgrade({ from: '1.34', to, groups: kubelets(version) }));
  expect(findings.filter(({ check, message }) => check === 'U009' && /older than/.test(message))).toEqual([
    expect.objectContaining({ fix }),
  ]);
});
