import fc from 'fast-check';
import { mostly, withOne } from './policy-odds.js';

/** Kinds of policies: `ValidatingAdmissionPolicy` and so on. */
export type Kind = 'Validating' | 'Mutating';

const all = { apiGroups: ['', 'apps'], apiVersions: ['v1'], resources: ['*/*'], operations: ['*'] };

/** Mutating policies cannot be about deletes. */
const rule = (kind: Kind) =>
  withOne(
    {
      apiGroups: mostly(fc.constantFrom<string[]>([''], ['', 'apps'], ['apps'], ['', 'autoscaling']), [], ['*', '']),
      apiVersions: mostly(
        fc.constantFrom<string[]>(['v1'], ['v1'], ['*'], ['v2'], ['v1', 'v2']),
        [],
        [''],
        ['*', 'v1'],
      ),
      resources: mostly(
        fc.constantFrom<string[]>(
          ...[['configmaps'], ['configmaps', 'deployments'], ['*'], ['deployments/scale'], ['deployments/status']],
          ...[['*/scale'], ['deployments/*'], ['horizontalpodautoscalers'], ['*/*'], ['*', '*/scale']],
        ),
        ...[[], ['*/*', 'pods'], ['*', 'pods'], ['deployments/*', 'deployments/scale']],
      ),
      operations: mostly(
        fc.constantFrom<string[]>(
          ...[['CREATE', 'UPDATE'], ['CREATE'], ['UPDATE'], ['*']],
          ...(kind === 'Validating' ? [['DELETE'], ['UPDATE', 'DELETE']] : []),
        ),
        ...[[], ['Create'], ['*', 'CREATE'], ['CONNECT'], ['DELETE']],
      ),
    },
    {
      scope: mostly(fc.constantFrom('*', 'Namespaced', 'Cluster'), 'Other'),
      resourceNames: mostly(fc.constantFrom<string[]>(['a'], ['b'], []), ['a', 'a'], ['..']),
    },
  );

/** Of the scenario's own namespace: the policies of others are in effect meanwhile. */
const own = { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } };
const namespaceSelector = mostly<object>(
  fc.constantFrom<object>(
    ...[own, own, own, { ...own, matchExpressions: [{ key: 'none', operator: 'DoesNotExist' }] }],
    { ...own, matchExpressions: [{ key: 'none', operator: 'In', values: ['a'] }] },
  ),
  { ...own, matchExpressions: [{ key: 'none', operator: 'In' }] },
);
const objectSelector = mostly<object>(
  fc.constantFrom<object>(
    ...[{ matchLabels: { app: 'a' } }, { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] }, {}],
  ),
  { matchExpressions: [{ key: 'app', operator: 'Equals', values: ['a'] }] },
);

function matching(kind: Kind, minRules: number): fc.Arbitrary<object> {
  const rules = fc.oneof(fc.constant<object[]>([all]), fc.array(rule(kind), { minLength: minRules, maxLength: 2 }));
  return withOne(
    { resourceRules: rules, namespaceSelector },
    {
      excludeResourceRules: fc.array(rule(kind), { minLength: 1, maxLength: 1 }),
      objectSelector,
      matchPolicy: mostly(fc.constantFrom('Exact', 'Equivalent'), 'Other'),
    },
  );
}

/** Which requests a policy is about. */
export const matchConstraints = (kind: Kind): fc.Arbitrary<object> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<object>({ resourceRules: [all], namespaceSelector: own }) },
    { weight: 3, arbitrary: matching(kind, 1) },
  );

const parameterNotFoundAction = mostly(fc.constantFrom('Allow', 'Deny'), 'Other');
const namespace = fc.constantFrom<object>({}, {}, { namespace: '{ns}' }, { namespace: 'default' });
const paramRef = mostly<object>(
  fc
    .record({
      which: fc.constantFrom<object>(
        ...[{ name: 'one' }, { name: 'one' }, { name: 'none' }, { selector: { matchLabels: { limit: '2' } } }],
        ...[
          { selector: { matchLabels: { limit: 'none' } } },
          { selector: { matchExpressions: [{ key: 'limit', operator: 'Exists' }] } },
        ],
      ),
      namespace,
      parameterNotFoundAction,
    })
    .map(({ which, namespace: where, ...rest }) => ({ ...which, ...where, ...rest })),
  { name: 'one', selector: {}, parameterNotFoundAction: 'Deny' },
  { parameterNotFoundAction: 'Deny' },
  { name: 'one' },
);
const validationActions = mostly(
  fc.constantFrom<string[]>(['Deny'], ['Deny'], ['Deny'], ['Warn'], ['Audit'], ['Warn', 'Audit'], ['Deny', 'Audit']),
  ...[[], ['Deny', 'Warn'], ['Deny', 'Deny'], ['Other']],
);

/** Generates what a binding says: which policy, with which parameters, for which requests, and what comes of it. */
export function bindingSpec(kind: Kind, hasParams: boolean): fc.Arbitrary<object> {
  const always = {
    policyName: mostly(fc.constant('{ns}-p'), 'none', ''),
    ...(kind === 'Validating' && { validationActions }),
  };
  const matchResources = matching(kind, 0);
  return hasParams
    ? fc.oneof(withOne({ ...always, paramRef }, { matchResources }), withOne(always, { matchResources }))
    : withOne(always, { matchResources });
}
