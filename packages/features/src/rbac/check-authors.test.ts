import { Kube, type KubeObject } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { ValidatingBinding, ValidatingPolicy } from '../api/admission-kinds.js';
import { apiVersion } from '../api/group.js';
import { authorPolicyObjects } from './author-policy.js';
import { checkAuthors } from './check-authors.js';
import type { Right } from './rights-of-step.js';

const patch: Right = { verb: 'patch', group: 'apps', resource: 'statefulsets', namespace: 'shop' };
const get: Right = { ...patch, verb: 'get' };
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const shipped = {
  apiVersion,
  kind: 'FeatureDefinition',
  metadata: { name: 'ours' },
  spec: { gate: 'Ours', components: [] },
};

/** An API server with the policy since second 10, and where users may do what `allowed` says: `jane:get,patch`. */
function aWorld(allowed = '') {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const [policy, binding] = authorPolicyObjects().map((object) => ({
    ...object,
    metadata: { ...object.metadata, creationTimestamp: at(10) },
  })) as [KubeObject, KubeObject];
  api.seed(ValidatingPolicy, policy);
  api.seed(ValidatingBinding, binding);
  const reviewed: unknown[] = [];
  const may = new Map(allowed.split(' ').map((each) => each.split(':') as [string, string]));
  const kube = new Kube(
    {
      stream: (request, signal) => api.stream(request, signal),
      async request(request) {
        if (!request.path.endsWith('/subjectaccessreviews')) return api.request(request);
        const { spec } = request.body as KubeObject;
        reviewed.push(spec);
        const verbs = (may.get(spec.user) ?? '').split(',');
        return {
          status: 201,
          headers: {},
          body: { status: { allowed: verbs.includes(spec.resourceAttributes.verb) } },
        };
      },
    },
    { clock },
  );
  const authors = checkAuthors({
    kube,
    self: async () => ({ username: 'server' }),
    isShipped: ({ metadata }) => metadata.name === 'ours',
  });
  const signal = new AbortController().signal;
  const ask = (definition: string | undefined, feature: string | undefined, created = 20, rights = [get, patch]) =>
    authors.blocker(
      rights,
      {
        definition: { ...shipped, metadata: { name: 'theirs', creationTimestamp: at(created) }, ...signed(definition) },
        feature: {
          apiVersion,
          kind: 'Feature',
          metadata: { name: 'theirs' },
          spec: { gate: 'Theirs' },
          ...signed(feature),
        },
      },
      signal,
    );
  return { api, clock, authors, ask, reviewed, signal };
}

const signed = (username: string | undefined) => (username === undefined ? {} : { author: { username } });

// author of the definition | of the Feature | created in second | reason | message
test.each<[string | undefined, string | undefined, number, string | undefined, RegExp]>([
  ['jane', 'jane', 20, undefined, /^$/],
  ['jane', 'server', 20, undefined, /^$/],
  ['jane', 'jane', 10, undefined, /^$/],
  [
    'joe',
    'jane',
    20,
    'NotPermitted',
    /^user joe, who wrote the definition, may not patch statefulsets.apps in namespace shop$/,
  ],
  ['jane', 'joe', 20, 'NotPermitted', /^user joe, who wrote the Feature, may not patch/],
  [undefined, 'jane', 20, 'AuthorUnknown', /the definition does not say who wrote it/],
  ['jane', undefined, 20, 'AuthorUnknown', /the Feature does not say who wrote it/],
  ['jane', 'jane', 9, 'AuthorUnknown', /created before the policy/],
])('checkAuthors() of %s and %s, created in second %i', async (definition, feature, created, reason, message) => {
  const blocker = await aWorld('jane:get,patch joe:get').ask(definition, feature, created);
  expect(blocker?.reason).toBe(reason);
  expect(blocker?.message ?? '').toMatch(message);
});

test('checkAuthors() checks no user when nothing is done, and for the writer of the Feature where the definition is shipped', async () => {
  const { authors, ask, reviewed, signal } = aWorld();
  expect(await ask(undefined, undefined, 0, [])).toBeUndefined();
  expect(reviewed).toEqual([]);
  const feature = { apiVersion, kind: 'Feature', metadata: { name: 'ours' }, spec: { gate: 'Ours' }, ...signed('joe') };
  expect(await authors.blocker([get], { definition: shipped }, signal)).toBeUndefined();
  expect((await authors.blocker([get], { definition: shipped, feature }, signal))?.reason).toBe('NotPermitted');
});

// what is wrong with the policy | how it is changed
test.each<[string, (api: ReturnType<typeof inMemoryApi>) => void | Promise<void>]>([
  ['ValidatingAdmissionPolicyBinding slipway-author is missing', (api) => remove(api, ValidatingBinding)],
  ['ValidatingAdmissionPolicy slipway-author is missing', (api) => remove(api, ValidatingPolicy)],
  [
    'ValidatingAdmissionPolicy slipway-author is not the one',
    (api) => change(api, ValidatingPolicy, (spec) => ({ ...spec, validations: [{ expression: 'true' }] })),
  ],
  [
    'ValidatingAdmissionPolicy slipway-author is not the one',
    (api) =>
      change(api, ValidatingPolicy, (spec) => ({ ...spec, matchConditions: [{ name: 'a', expression: 'false' }] })),
  ],
  [
    'ValidatingAdmissionPolicyBinding slipway-author is not the one',
    (api) => change(api, ValidatingBinding, (spec) => ({ ...spec, validationActions: ['Warn'] })),
  ],
  [
    'ValidatingAdmissionPolicyBinding slipway-author is not the one',
    (api) =>
      change(api, ValidatingBinding, (spec) => ({
        ...spec,
        matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } },
      })),
  ],
])('checkAuthors() lets nothing be done while the %s', async (problem, spoil) => {
  const { api, ask } = aWorld('jane:get,patch');
  await spoil(api);
  expect(await ask('jane', 'jane')).toMatchObject({
    reason: 'AuthorUnknown',
    message: expect.stringContaining(problem),
  });
});

test('checkAuthors() accepts the policy with what an API server fills in', async () => {
  const { api, ask } = aWorld('jane:get,patch');
  change(api, ValidatingPolicy, (spec) => ({
    ...spec,
    matchConstraints: {
      ...spec.matchConstraints,
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ ...spec.matchConstraints.resourceRules[0], scope: '*' }],
    },
  }));
  expect(await ask('jane', 'jane')).toBeUndefined();
});

test('checkAuthors() keeps an answer for a few seconds, and asks for the whole user', async () => {
  const { authors, clock, reviewed, signal } = aWorld('jane:get');
  const author = { username: 'jane', uid: '7', groups: ['devs'], extra: [{ key: 'scopes', values: ['a', 'b'] }] };
  const definition = { ...shipped, metadata: { name: 'theirs', creationTimestamp: at(20) }, author };
  const ask = () => authors.blocker([get], { definition }, signal);
  await ask();
  await ask();
  expect(reviewed).toEqual([
    { user: 'jane', uid: '7', groups: ['devs'], extra: { scopes: ['a', 'b'] }, resourceAttributes: get },
  ]);
  await clock.advance(6_000);
  await ask();
  expect(reviewed).toHaveLength(2);
});

function change(
  api: ReturnType<typeof inMemoryApi>,
  kind: typeof ValidatingPolicy,
  next: (spec: KubeObject['spec']) => object,
): void {
  const [stored] = api.stored(kind);
  if (stored) api.seed(kind, { ...stored, spec: next(stored.spec) });
}

async function remove(api: ReturnType<typeof inMemoryApi>, kind: typeof ValidatingPolicy): Promise<void> {
  await new Kube(api).resource(kind).delete({ name: 'slipway-author' });
}
