import { type Canary, Feature, type FeatureStatus, type Reason, type Reference } from '@slipway/features';
import { CustomResourceDefinition, type KubeObject } from '@slipway/kube';
import { specKey } from '../../packages/features/src/lifecycle/steering.js';
import { aConfigMap, ConfigMap, namespace, type RemedyCluster, saying, seenTo } from './remedies.js';
import { eventually } from './slipway.js';

/** How a reason comes about, and what a person does about it. */
export interface RemedyCase {
  /** Brings it about for the gate of the same name. */
  readonly arrange: (gate: string) => Promise<unknown>;
  /** What a person does in the editor that the command opens, as an expression of sed. */
  readonly edit?: (gate: string) => string;
  /** What a person does besides, as the words beside the command say. */
  readonly besides?: (gate: string) => unknown;
  /** Which of the alternatives is followed; the first when absent. */
  readonly which?: RegExp;
}

/** Returns, for each reason whose remedy is a command, a case that brings the reason about. */
export function remedyCases(world: () => RemedyCluster): Partial<Record<Reason, RemedyCase>> {
  const stopped = new Set<string>();

  const live = { live: true };
  const dataOf = (gate: string): Reference => ({
    group: '',
    resource: 'configmaps',
    path: `data.${gate.toLowerCase()}`,
  });
  const clearing = (gate: string, more: object = {}) => ({
    references: [dataOf(gate)],
    tasks: { off: [{ kind: 'ClearField', args: { ...dataOf(gate), backup: 'None', ...more } }] },
  });
  const use = (gate: string, more: object = {}) =>
    world().kube.resource(ConfigMap).create(aConfigMap(gate.toLowerCase(), more));
  const twoOf = (gate: string) =>
    [gate.toLowerCase(), `${gate.toLowerCase()}-b`].map((name) => ({ name, required: true, roster: 'Self' as const }));
  const isState = (state: string) => (status: FeatureStatus) => status.state === state;

  /** A feature whose processes take the value from the API, settled as `value`. */
  async function settled(gate: string, value: boolean, spec: Parameters<RemedyCluster['declare']>[1] = {}) {
    await world().declare(gate, { dynamic: 'Live', ...spec });
    await world().process(gate, value, live);
    await world().until(gate, 'it is settled', isState(value ? 'On' : 'Off'));
  }

  /** A feature that is off, while a process of its second component runs it by a flag of its own. */
  async function drifting(gate: string) {
    const component = `${gate.toLowerCase()}-b`;
    const stop = await world().process(gate, false, { component });
    await settled(gate, false, { components: twoOf(gate) });
    await stop();
    await world().process(gate, true, { component, set: true });
  }

  /** A feature that is turned off while `task` is not done. */
  async function turningOff(gate: string, task: { readonly kind: string; readonly args?: object }, more: object = {}) {
    await settled(gate, true, { tasks: { off: [task as never] }, ...more });
    await world().ask(gate, { desired: 'Off', mode: 'Dynamic' });
  }

  const aCrd = (plural: string, properties: object = {}): KubeObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.acme.io` },
    spec: {
      ...{ group: 'acme.io', scope: 'Namespaced', names: { plural, kind: `${plural}Kind`, singular: plural } },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
      ],
    },
  });
  const Held = { group: 'acme.io', version: 'v1', kind: 'heldKind', plural: 'held', namespaced: true };
  const aHeld = {
    apiVersion: 'acme.io/v1',
    kind: 'heldKind',
    metadata: { name: 'held', namespace, finalizers: ['acme.io/hold'] },
  };

  /** Has the task at work begun at another time. */
  async function asIfBegun(gate: string, firstAttempt: string): Promise<void> {
    const { status, metadata } = (await world().find(gate)) as Feature;
    const { resourceVersion = '' } = metadata;
    const [head, ...others] = status?.transition?.tasks ?? [];
    const tasks = [{ ...head, firstAttempt }, ...others];
    const ref = { namespace, name: gate.toLowerCase() };
    await world()
      .kube.resource(Feature)
      .mergeStatus(ref, { metadata: { resourceVersion }, status: { transition: { tasks } } });
  }
  const canary: Canary = { steps: [{ percent: 50, bake: '1s' }] } as Canary;

  return {
    NotSeen: {
      arrange: (gate) =>
        world()
          .kube.resource(Feature)
          .create({
            ...{ apiVersion: 'features.slipway.dev/v1alpha1', kind: 'Feature' },
            ...{ metadata: { name: gate.toLowerCase(), namespace }, spec: { gate } },
          }),
    },
    DependencyOff: {
      async arrange(gate) {
        await settled('Base', false);
        await settled(gate, false, { dependsOn: ['Base'] });
        await world().ask(gate, { desired: 'On', mode: 'Dynamic' });
      },
    },
    ConflictOn: {
      async arrange(gate) {
        await settled('Rival', true);
        await settled(gate, false, { conflictsWith: ['Rival'] });
        await world().ask(gate, { desired: 'On', mode: 'Dynamic' });
      },
    },
    DependentOn: {
      async arrange(gate) {
        await settled(gate, true);
        await settled('Dependent', true, { dependsOn: [gate] });
        await world().ask(gate, { desired: 'Off', mode: 'Dynamic' });
      },
    },
    Drift: {
      arrange: drifting,
    },
    Waived: {
      async arrange(gate) {
        await drifting(gate);
        await world().until(gate, 'it drifts', (status) => saying({ status } as Feature, 'Drift') !== '');
        const name = `${gate.toLowerCase()}-b.one`;
        await world().follow(`slipway feature waive ${gate} -n ${namespace} --process ${name} --reason "..." --for 1d`);
      },
    },
    AwaitingEvidence: {
      async arrange(gate) {
        await world().declare(gate, { components: twoOf(gate) });
        await world().process(gate, true);
      },
      edit: (gate) => `/name: ${gate.toLowerCase()}-b/,$s/required: true/required: false/`,
    },
    Paused: {
      async arrange(gate) {
        await settled(gate, false);
        await world().ask(gate, { desired: 'On', mode: 'Dynamic', paused: true });
      },
    },
    NeedsApproval: {
      async arrange(gate) {
        await use(gate);
        await settled(gate, true, { cleanup: 'Manual', ...clearing(gate) });
        await world().ask(gate, { desired: 'Off', mode: 'Dynamic' });
      },
    },
    Locked: {
      async arrange(gate) {
        await settled(gate, true, { stages: [{ version: '1.0', stage: 'GA', default: true, locked: true }] });
        await world().ask(gate, { desired: 'Off' });
      },
    },
    NoDefinition: {
      async arrange(gate) {
        await world().process(gate, true);
        await world().ask(gate, { desired: 'Off' });
      },
    },
    NotDynamic: {
      async arrange(gate) {
        await settled(gate, false, { dynamic: 'Never' });
        await world().ask(gate, { mode: 'Central' });
      },
    },
    CanaryUnsupported: {
      async arrange(gate) {
        await settled(gate, false);
        await world().ask(gate, { desired: 'On', mode: 'Dynamic', canary });
      },
    },
    CanaryFailed: {
      async arrange(gate) {
        await settled(gate, false);
        const spec = { gate, desired: 'On', mode: 'Dynamic' } as const;
        const failed = { wish: specKey(spec), to: 'On', message: 'too many errors' } as const;
        const ref = { namespace, name: gate.toLowerCase() };
        await world().ask(gate, { paused: true });
        await world().ask(gate, spec);
        await world().until(gate, 'it is paused', (status) => saying({ status } as Feature, 'Paused') !== '');
        await world()
          .kube.resource(Feature)
          .mergeStatus(ref, { status: { canaryFailed: failed } });
        await world().ask(gate, { paused: false });
      },
    },
    DisableUnsupported: {
      async arrange(gate) {
        await settled(gate, true, { disable: 'Unsupported' });
        await world().ask(gate, { desired: 'Off', mode: 'Dynamic' });
      },
    },
    Definition: {
      arrange: (gate) => world().declare(gate, clearing(gate, { bakup: 'None' }), { withRights: false }),
      edit: () => '/bakup/d',
    },
    Stragglers: {
      async arrange(gate) {
        await world().declare(gate);
        await world().process(gate, false, { set: true });
        await world().until(gate, 'it is settled', isState('Off'));
        await world().ask(gate, { desired: 'On', uses: { stragglersAfter: '1s' } });
      },
    },
    Reappearing: {
      async arrange(gate) {
        await use(gate);
        await settled(gate, true, { ...clearing(gate), cleanup: 'Automatic' });
        const ref = { namespace, name: gate.toLowerCase() };
        void (async () => {
          while (!stopped.has(gate)) {
            const found = await world().kube.resource(ConfigMap).find(ref);
            if (found?.data === undefined) await world().kube.resource(ConfigMap).merge(ref, aConfigMap(ref.name));
          }
        })();
        await world().ask(gate, { desired: 'Off', mode: 'Dynamic', guard: { mode: 'None' } });
      },
      besides: (gate) => stopped.add(gate),
      edit: (gate) => `/^  ${gate.toLowerCase()}:/d`,
    },
    ObjectsRemain: {
      async arrange(gate) {
        await use(gate);
        await turningOff(gate, { kind: 'WaitForNoObjects', args: dataOf(gate) }, { references: [dataOf(gate)] });
      },
      edit: (gate) => `/^  ${gate.toLowerCase()}:/d`,
    },
    Refused: {
      async arrange(gate) {
        await use(gate, { immutable: true });
        await settled(gate, true, { ...clearing(gate), cleanup: 'Automatic' });
        await world().ask(gate, { desired: 'Off', mode: 'Dynamic' });
      },
      which: /waive/,
    },
    Forbidden: {
      async arrange(gate) {
        const field = { group: '', resource: 'serviceaccounts', path: 'automountServiceAccountToken' };
        await world().declare(
          gate,
          { references: [field], dynamic: 'Live', tasks: { off: [{ kind: 'WaitForNoObjects', args: field }] } },
          { withRights: false },
        );
        await world().process(gate, true, live);
        await world().ask(gate, { desired: 'Off', mode: 'Dynamic' });
      },
    },
    NotPermitted: {
      async arrange(gate) {
        await use(gate);
        await settled(gate, true, clearing(gate));
        await world().allowFeatures('jane');
        await world().ask(gate, { desired: 'Off', mode: 'Dynamic', cleanup: 'Automatic' }, world().as('jane'));
      },
    },
    BackupTooLarge: {
      async arrange(gate) {
        await use(gate, { data: { [gate.toLowerCase()]: 'x'.repeat(950_000) } });
        await settled(gate, true, { ...clearing(gate, { backup: 'Secret' }), cleanup: 'Automatic' });
        await world().ask(gate, { desired: 'Off', mode: 'Dynamic' });
      },
      edit: () => 's/backup: Secret/backup: None/',
    },
    TaskBlocked: {
      arrange: (gate) => turningOff(gate, { kind: 'Ask' }),
      besides: () => {
        seenTo.ask = true;
      },
    },
    TaskFailed: {
      arrange: (gate) => turningOff(gate, { kind: 'Fail' }),
      besides: () => {
        seenTo.fail = true;
      },
    },
    NotConfigured: {
      arrange: (gate) => turningOff(gate, { kind: 'Webhook', args: { name: 'nope' } }),
      edit: () => 's/name: nope/name: hook/',
    },
    NotOurs: {
      async arrange(gate) {
        const crd = aCrd('theirs');
        await world().kube.resource(CustomResourceDefinition).create(crd);
        await settled(gate, false, { scope: 'Cluster', tasks: { on: [{ kind: 'InstallCRD', args: { crd } }] } });
        await world().ask(gate, { desired: 'On', mode: 'Dynamic' });
      },
      besides: () => world().kube.resource(CustomResourceDefinition).delete({ name: 'theirs.acme.io' }),
    },
    Finalizers: {
      async arrange(gate) {
        const crd = aCrd('held');
        await world().kube.resource(CustomResourceDefinition).create(crd);
        const held = { group: 'acme.io', resource: 'held' };
        await eventually('its objects can be made', () =>
          world()
            .kube.resource(Held)
            .create(aHeld)
            .then(() => true),
        );
        await turningOff(
          gate,
          { kind: 'ClearCollection', args: held },
          { references: [{ ...held, kind: 'Object' }], cleanup: 'Automatic' },
        );
        await world().until(gate, 'it deletes', (status) => status.transition?.tasks[0]?.reason === 'Deleting');
        await eventually('it has waited for long', () => asIfBegun(gate, '2020-01-01T00:00:00Z').then(() => true));
      },
      edit: () => '/finalizers:/d;/acme.io\\/hold/d',
    },
    Found: {
      async arrange(gate) {
        await use(gate);
        await settled(gate, false, { ...clearing(gate), cleanup: 'Manual' });
      },
    },
    NotScanned: {
      async arrange(gate) {
        const field = { group: '', resource: 'podtemplates', path: 'template.spec.hostname' };
        await world().declare(gate, { references: [field] }, { withRights: false });
        await world().process(gate, false);
      },
    },
    KindsNotCovered: {
      async arrange(gate) {
        const fields = [
          'containers',
          'initContainers',
          'volumes',
          'affinity',
          'tolerations',
          'dnsConfig',
          'hostAliases',
        ];
        const others = ['securityContext', 'readinessGates', 'topologySpreadConstraints', 'hostUsers'];
        const kept = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
        const nested = (name: string, properties: object) => ({ [name]: { type: 'object', properties } });
        const podSpec = Object.fromEntries([...fields, ...others].map((name) => [name, kept]));
        const crd = aCrd('rollouts', nested('spec', nested('template', nested('spec', podSpec))));
        await world().kube.resource(CustomResourceDefinition).create(crd);
        const path = 'spec.template.spec.hostUsers';
        const references: Reference[] = [{ group: 'apps', resource: 'statefulsets', path, embedded: true }];
        await settled(gate, false, { scope: 'Cluster', references });
      },
      edit: () =>
        's/^  references:$/&\\n  - { group: acme.io, resource: rollouts, path: spec.template.spec.hostUsers }/',
    },
    PendingRestart: {
      async arrange(gate) {
        await world().declare(gate, { dynamic: 'Live' });
        const stop = await world().process(gate, false, { atStart: true });
        await world().until(gate, 'it is settled', isState('Off'));
        await world().ask(gate, { desired: 'On', mode: 'Dynamic' });
        await world().until(gate, 'it is published', (status) => status.published?.value === true);
        await stop();
        await world().process(gate, false, { atStart: true });
        await world().until(gate, 'it is On', isState('On'));
        await world().follow(`slipway feature mode ${gate} follow -n ${namespace} --yes`);
      },
    },
  };
}
