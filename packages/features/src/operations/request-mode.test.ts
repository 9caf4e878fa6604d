import { expect, test } from 'vitest';
import { Feature, type FeatureStatus } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import { FeatureUse } from '../api/feature-use.js';
import { FeatureVector, type GateValue } from '../api/feature-vector.js';
import { apiVersion } from '../api/group.js';
import { aCluster } from '../testing/a-cluster.js';
import { previewMode, requestMode } from './request-mode.js';

const namespace = 'kube-system';
const definition: FeatureDefinitionSpec = {
  gate: 'Widgets',
  dynamic: 'Live',
  components: [
    { name: 'server', roster: 'Self' },
    { name: 'agent', roster: 'Self' },
  ],
};

/** A cluster with the processes `server.one` and `agent.one`. */
function withProcesses(status: FeatureStatus, server: Partial<GateValue>, agent: Partial<GateValue>) {
  const cluster = aCluster({ sets: 0, users: 0 });
  const { api, kube } = cluster;
  const metadata = { name: 'widgets', namespace };
  const spec = { gate: 'Widgets', mode: 'Dynamic', desired: 'On' } as const;
  const feature: Feature = { apiVersion, kind: 'Feature', metadata, spec, status };
  api.seed(Feature, feature);
  api.seed(FeatureDefinition, { apiVersion, kind: 'FeatureDefinition', metadata, spec: definition });
  for (const [component, value] of Object.entries({ server, agent })) {
    const gates = [{ name: 'Widgets', enabled: true, default: false, ...value }];
    const vector = { component, binaryVersion: '1.0', gates };
    const use = { component, instance: 'one', incarnation: 'i', binaryVersion: '1.0', source: 'Library' };
    const named = (name: string) => ({ apiVersion, metadata: { name, namespace } });
    api.seed(FeatureVector, { ...named(component), kind: 'FeatureVector', spec: vector });
    api.seed(FeatureUse, { ...named(`${component}.one`), kind: 'FeatureUse', spec: { ...use, vector: component } });
  }
  return { kube, feature: cluster.feature('widgets') as Feature };
}

const on: FeatureStatus = { state: 'On', published: { value: true, epoch: 1 }, settable: { mode: 'Dynamic' } };
const off: FeatureStatus = { ...on, state: 'Off', published: { value: false, epoch: 1 } };
const turningOff: FeatureStatus = {
  ...off,
  state: 'TurningOff',
  transition: { id: 'a', seq: 1, to: 'Off', cause: '', startedAt: '', plan: '', tasks: [], completed: [] },
};
const follows = { follows: true };
const flag = { follows: true, set: true };

// what | status | of the server | of the agent | mode | who loses the value
const cases: [string, FeatureStatus, Partial<GateValue>, Partial<GateValue>, 'Follow' | 'Central', string[]][] = [
  ['all follow', on, follows, follows, 'Follow', ['agent', 'server']],
  ['with mode Central the others take what the authority runs', on, follows, follows, 'Central', ['server']],
  ['a flag holds', on, flag, follows, 'Follow', ['agent']],
  ['the flag of the authority is published', on, flag, follows, 'Central', []],
  ['flags only', on, {}, {}, 'Follow', []],
  ['the default is the value', on, { ...follows, default: true }, { ...follows, default: true }, 'Follow', []],
  [
    'swept to the value, which is not yet in effect',
    on,
    flag,
    { ...follows, enabled: false, pendingRestart: true },
    'Follow',
    [],
  ],
  ['off, and on by default', off, { ...follows, default: true }, follows, 'Follow', ['server']],
  ['on its way to off', turningOff, follows, follows, 'Follow', []],
  ['nothing is published', { state: 'On' }, follows, follows, 'Follow', []],
];
test.each(cases)('previewMode(), %s', async (_, status, server, agent, mode, expected) => {
  const { kube, feature } = withProcesses(status, server, agent);
  const preview = await previewMode(kube, feature, mode);
  expect(preview.leaving.map(({ component }) => component)).toEqual(expected);
});

test('previewMode() refuses a mode that the definition does not allow, and requestMode() writes the other', async () => {
  const { kube, feature } = withProcesses(on, flag, flag);
  const status = { ...on, settable: { mode: 'Follow' as const, why: 'its definition says dynamic: Never' } };
  await expect(previewMode(kube, { ...feature, status }, 'Central')).rejects.toMatchObject({ reason: 'NotDynamic' });
  const written = await requestMode(kube, await previewMode(kube, feature, 'Central'));
  expect(written.spec).toEqual({ gate: 'Widgets', mode: 'Central', desired: 'Unmanaged' });
});
