import { expect, test } from 'vitest';
import type { FeatureStatus } from '../api/feature.js';
import { aDefinition, aScan, aSituation, counts } from '../testing/a-situation.js';
import { anUpgrade, aReportedFeature } from '../testing/an-upgrade.js';
import { checkUpgrade } from '../upgrade/checks/check-upgrade.js';
import type { Situation } from './situation.js';
import { step } from './step.js';

const says = (situation: Situation) => {
  const found = step(situation).status.conditions?.find(({ type }) => type === 'UpgradeSafe');
  return `${found?.status} ${found?.reason}`;
};
const off = (status: Partial<FeatureStatus>) => ({ ...aSituation('Off').status, ...status });
const { dangling: _dangling, ...notScanned } = aSituation('Off').status;
const leaving = {
  ...counts('1/0/0 2/0/0 0/0/0'),
  components: counts('1/0/0 2/0/0 0/0/0').components.map((one) => ({ ...one, pendingRestart: 1 })),
};
const upgrade = [{ from: '1.34', to: '1.35', kind: 'Rewrite' }];
const asked = {
  clusterVersions: { oldest: '1.34.0', newest: '1.34.0' },
  definition: { spec: { ...aDefinition, tasks: { upgrade } }, digest: 'definition', revision: 'u1/1', problems: [] },
  spec: { targetVersion: '1.35' },
};

test.each<readonly [string, Situation, string]>([
  ['at rest, off and clean', aSituation('Off'), 'True NothingAgainst'],
  ['at rest and on', aSituation('On'), 'True NothingAgainst'],
  ['on its way', aSituation('On', { spec: { desired: 'Off' } }), 'False InTransition'],
  [
    'off, with old values left',
    aSituation('Off', { status: off({ dangling: aScan(3) }), cleanup: 'Manual' }),
    'False Found',
  ],
  ['off, and not scanned', aSituation('Off', { status: notScanned }), 'Unknown NotScanned'],
  ['with a process that disagrees', aSituation('On', { uses: counts('1/0/0 1/1/0 1/0/0') }), 'False Drift'],
  ['with a process that is silent', aSituation('On', { uses: counts('1/0/0 1/0/1 1/0/0') }), 'Unknown Silent'],
  ['with processes that lose the value when they restart', aSituation('On', { uses: leaving }), 'False PendingRestart'],
  ['with tasks of an upgrade to be done', aSituation('On', asked), 'False UpgradeTasks'],
  ['undeclared', aSituation('On', { definition: undefined, spec: { desired: 'Unmanaged' } }), 'Unknown NoDefinition'],
  ['that is to be turned and is undeclared', aSituation('On', { definition: undefined }), 'False NoDefinition'],
  [
    'whose definition cannot be carried out',
    aSituation('On', { definition: { spec: aDefinition, digest: 'd', revision: 'u1/2', problems: ['no such path'] } }),
    'False Definition',
  ],
  ['unknown', aSituation('On', { unknown: { reason: 'NotSeen', message: 'no process knows it' } }), 'Unknown NotSeen'],
])('a feature %s', (_, situation, expected) => {
  expect(says(situation)).toBe(expected);

  // What a listing calls blocked is what the check calls a blocker.
  const { status } = step(situation);
  const features = [aReportedFeature('Widgets', status, situation.spec.desired)];
  const definitions = new Map(situation.definition ? [['Widgets', situation.definition.spec]] : []);
  const { findings } = checkUpgrade(anUpgrade({ features, definitions }));
  const isBlocker = findings.some(({ gate, severity }) => gate === 'Widgets' && severity === 'blocker');
  expect(isBlocker).toBe(expected.startsWith('False'));
});
