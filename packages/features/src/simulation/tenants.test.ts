import { type KubeObject, silentLog } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feature } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { type FeatureServerOptions, featureServer } from '../controllers/feature-server.js';
import { definitionOf, type Held, ModelRights } from './model-rights.js';

// Tenants with random rights write random definitions in the namespace `tenant`, and flip their Feature. The feature
// server has all rights: it must never use one for a tenant that the tenant does not have.

const namespaces = ['tenant', 'shop'];
const resources = { statefulsets: 'apps', widgets: 'acme.io' } as const;
type Resource = keyof typeof resources;

const user = fc.constantFrom('jane', 'joe');
const verbs = ['get', 'list', 'patch', 'create', 'update', 'delete'];
const granted = [
  ...Object.keys(resources),
  'secrets',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
];
/** Everything there is, or everything in one namespace, but for one or two rights. */
const held: fc.Arbitrary<readonly Held[]> = fc
  .record({
    namespace: fc.constantFrom('tenant', 'tenant', 'shop', undefined, undefined),
    omitted: fc.array(fc.tuple(fc.constantFrom(...granted), fc.constantFrom(...verbs)), { maxLength: 2 }),
    withSecrets: fc.boolean(),
  })
  .map(({ namespace, omitted, withSecrets }) =>
    granted
      .filter((resource) => resource !== 'secrets' || withSecrets)
      .flatMap((resource) => verbs.map((verb) => ({ verb, resource })))
      .filter(({ verb, resource }) => !omitted.some(([of, one]) => of === resource && one === verb))
      .map((right) => ({ ...right, ...(namespace !== undefined && { namespace }) })),
  );
const spec: fc.Arbitrary<FeatureDefinitionSpec> = fc
  .record({
    scope: fc.constantFrom('Namespace' as const, 'Cluster' as const),
    resource: fc.constantFrom(...(Object.keys(resources) as Resource[])),
    task: fc.constantFrom('ClearField', 'ClearCollection', 'WaitForNoObjects'),
    backup: fc.constantFrom('Secret', 'None'),
  })
  .map(({ scope, resource, task, backup }) => {
    const named = { group: resources[resource], resource };
    const field = task === 'ClearCollection' ? named : { ...named, path: 'spec.fast' };
    return {
      gate: 'Fast',
      scope,
      dynamic: 'Live',
      cleanup: 'Automatic',
      components: [{ name: 'a', required: false, roster: 'Self' }],
      references: [{ ...field, kind: task === 'ClearCollection' ? 'Object' : 'Field' }],
      tasks: { off: [{ kind: task, args: { ...field, ...(task === 'ClearField' && { backup }) } }] },
    };
  });
const event = fc.oneof(
  fc.record({ kind: fc.constant('grant' as const), user, held }),
  fc.record({ kind: fc.constant('revoke' as const), user }),
  fc.record({ kind: fc.constant('wait' as const) }),
  fc.record({ kind: fc.constant('define' as const), user, spec }),
  fc.record({
    kind: fc.constant('flip' as const),
    user,
    to: fc.constantFrom('On' as const, 'Off' as const),
    mode: fc.constantFrom('Deny' as const, 'None' as const),
  }),
);
type Story = readonly (typeof event extends fc.Arbitrary<infer E> ? E : never)[];
const story: fc.Arbitrary<Story> = fc
  .tuple(held, held, user, user, spec, fc.array(event, { minLength: 2, maxLength: 6 }))
  .map(([ofJane, ofJoe, author, flipper, defined, events]) => [
    { kind: 'grant', user: 'jane', held: ofJane },
    { kind: 'grant', user: 'joe', held: ofJoe },
    { kind: 'define', user: author, spec: defined },
    { kind: 'flip', user: flipper, to: 'On', mode: 'Deny' },
    { kind: 'flip', user: flipper, to: 'Off', mode: 'Deny' },
    ...events,
  ]);

async function play(events: Story, authors: FeatureServerOptions['authors']) {
  const model = new ModelRights();
  const { cluster } = model;
  for (const namespace of namespaces) {
    for (const plural of Object.keys(resources) as Resource[]) {
      const metadata = { name: `${plural}-${namespace}`, namespace };
      const object: KubeObject = { apiVersion: `${resources[plural]}/v1`, kind: plural, metadata, spec: { fast: 1 } };
      cluster.api.seed({ group: resources[plural], plural }, object);
    }
  }
  const kube = model.server();
  const options = {
    kube,
    identity: 'test',
    log: silentLog,
    random: () => 0.5,
    verifyGapMs: 100,
    guard: { settleMs: 100 },
  };
  const server = featureServer({ ...options, allowDynamic: ['*'], ...(authors && { authors }) });
  const stopping = new AbortController();
  void server.start(stopping.signal);
  let reached = 0;
  for (const step of events) {
    if (step.kind === 'grant') for (const one of step.held) model.grant(step.user, one);
    if (step.kind === 'revoke') model.revokeAll(step.user);
    if (step.kind === 'define') model.write(step.user, 'featuredefinitions', definitionOf(step.spec, 'tenant'));
    const feature = cluster.feature('fast', 'tenant') as Feature | undefined;
    if (step.kind === 'flip' && feature) {
      const wanted = { gate: 'Fast', mode: 'Dynamic', desired: step.to, guard: { mode: step.mode } };
      const generation = (feature.metadata.generation ?? 0) + 1;
      model.write(step.user, 'features', { ...feature, metadata: { ...feature.metadata, generation }, spec: wanted });
    }
    for (let passed = 0; passed < 10_000; passed += 500) await cluster.clock.advance(500);
    // Until a feature that is off is scanned again.
    if (step.kind === 'wait')
      for (let passed = 0; passed < 660_000; passed += 30_000) await cluster.clock.advance(30_000);
    if (cluster.feature('fast', 'tenant')?.status?.state === 'Off') reached++;
  }
  stopping.abort();
  await server.stop?.();
  return { violations: model.violations, reached };
}

test('whatever tenants may do, define and flip, the server does nothing that its authors could not do', async () => {
  let reached = 0;
  await fc.assert(
    fc.asyncProperty(story, async (events) => {
      const played = await play(events, 'Check');
      reached += played.reached;
      expect(played.violations).toEqual([]);
    }),
    { numRuns: 40 },
  );
  // Or the property would hold because nothing is ever done.
  expect(reached).toBeGreaterThan(20);
}, 120_000);

test('without the check the same stories show what tenants gain', async () => {
  const harmful = fc.asyncProperty(story, async (events) => (await play(events, 'Trust')).violations.length === 0);
  const { failed } = await fc.check(harmful, { numRuns: 40, endOnFailure: true });
  expect(failed).toBe(true);
}, 120_000);
