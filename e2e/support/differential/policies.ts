import fc from 'fast-check';
import {
  annotationValues,
  conditions,
  configurations,
  jsonPatches,
  messageExpressions,
  mutationsOfParams,
  mutationsOfVariables,
  oddMutations,
  ofParams,
  ofVariables,
  uncompilable,
  variables,
} from './policy-expressions.js';
import { bindingSpec, type Kind, matchConstraints } from './policy-matching.js';
import { mostly, withOne } from './policy-odds.js';
import { objectsBefore, writesUnderPolicies } from './policy-writes.js';
import type { Scenario, Step } from './scenarios.js';

const group = 'admissionregistration.k8s.io/v1';
const json = 'application/json';

/** What the expressions of a policy may speak about, besides the request. */
interface Speaking {
  readonly hasParams: boolean;
  readonly hasVariables: boolean;
}

function expression({ hasParams, hasVariables }: Speaking): fc.Arbitrary<string> {
  const good = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...conditions) },
    { weight: hasParams ? 4 : 0, arbitrary: fc.constantFrom(...ofParams) },
    { weight: hasVariables ? 3 : 0, arbitrary: fc.constantFrom(...ofVariables) },
  );
  return mostly(good, ...uncompilable);
}

function validation(speaking: Speaking): fc.Arbitrary<object> {
  return fc.record(
    {
      expression: expression(speaking),
      message: mostly(fc.constantFrom('no', ' padded '), 'a\nb', ' ', ''),
      messageExpression: mostly(
        fc.constantFrom(...messageExpressions, ...(speaking.hasParams ? ['string(params != null)'] : [])),
        ...['1', '(', ' ', 'variables.nope'],
      ),
      reason: mostly(fc.constantFrom('Invalid', 'Forbidden', 'RequestEntityTooLarge'), 'Unauthorized'),
    },
    { requiredKeys: ['expression'] },
  );
}

function mutation({ hasParams, hasVariables }: Speaking): fc.Arbitrary<object> {
  const more = [...(hasParams ? [mutationsOfParams] : []), ...(hasVariables ? [mutationsOfVariables] : [])];
  const configuration = mostly(
    fc.constantFrom(...configurations, ...more.map((each) => each.configuration)),
    ...oddMutations,
  );
  const patch = mostly(fc.constantFrom(...jsonPatches, ...more.map((each) => each.patch)), ...oddMutations);
  return fc.oneof(
    configuration.map((each) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression: each } })),
    patch.map((each) => ({ patchType: 'JSONPatch', jsonPatch: { expression: each } })),
  );
}

const paramKind = mostly<object>(
  fc.constantFrom(
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass' },
  ),
  ...[
    { apiVersion: 'v1', kind: 'Nope' },
    { apiVersion: 'a/b/c', kind: 'A' },
    { apiVersion: 'v1', kind: 'Nope' },
  ],
);
const variablesOf = mostly(
  fc.constantFrom(...variables).map(([v, w]) => [
    { name: 'v', expression: v },
    { name: 'w', expression: w },
  ]),
  [{ name: 'a/b', expression: '1' }],
  [{ name: 'v', expression: '(' }],
);

function specOf(kind: Kind, speaking: Speaking): fc.Arbitrary<object> {
  const matchCondition = fc.record({
    name: mostly(fc.constantFrom('c', 'd'), '', 'a/b/c'),
    // They know no variables.
    expression: expression({ ...speaking, hasVariables: false }),
  });
  const always = {
    matchConstraints: matchConstraints(kind),
    ...(speaking.hasParams && { paramKind }),
    ...(speaking.hasVariables && { variables: variablesOf }),
    ...(kind === 'Mutating' && { reinvocationPolicy: mostly(fc.constantFrom('Never', 'IfNeeded'), 'Other') }),
    ...(kind === 'Validating'
      ? { validations: fc.array(validation(speaking), { minLength: 1, maxLength: 2 }) }
      : { mutations: fc.array(mutation(speaking), { minLength: 1, maxLength: 2 }) }),
  };
  const annotation = fc.record({
    key: mostly(fc.constantFrom('k', 'K'), 'a/b'),
    valueExpression: mostly(fc.constantFrom(...annotationValues), '1', '', '('),
  });
  const others = {
    failurePolicy: mostly(fc.constantFrom('Fail', 'Ignore'), 'Other'),
    matchConditions: fc.uniqueArray(matchCondition, { minLength: 1, maxLength: 2, selector: ({ name }) => name }),
    ...(kind === 'Validating' && {
      auditAnnotations: fc.uniqueArray(annotation, {
        minLength: 1,
        maxLength: 2,
        selector: ({ key }) => key.toLowerCase(),
      }),
    }),
  };
  return withOne(always, others);
}

/** Scenarios of one policy: it is bound, takes effect, and then requests are sent that it may be about. */
export function policyScenario(kinds: readonly Kind[]): fc.Arbitrary<Scenario> {
  return fc
    .record({ kind: fc.constantFrom(...kinds), hasParams: fc.boolean(), hasVariables: fc.boolean() })
    .chain(({ kind, ...speaking }) =>
      fc.record({
        kind: fc.constant(kind),
        spec: specOf(kind, speaking),
        // One: in which order Kubernetes takes several is not defined.
        binding: bindingSpec(kind, speaking.hasParams),
        after: writesUnderPolicies(6),
      }),
    )
    .map(({ kind, spec, binding, after }) => ({
      kind: `${kind}AdmissionPolicy`,
      steps: [
        ...parameters,
        ...objectsBefore,
        create(kind, 'Policy', '{ns}-p', spec),
        create(kind, 'PolicyBinding', '{ns}-b', binding),
        { method: 'GET', path: `/apis/${group}/${pluralOf(kind, 'Policy')}/{ns}-p`, settles: kind },
        ...after,
      ],
    }));
}

/** The collection of policies, or of their bindings. */
export function pluralOf(kind: Kind, what: 'Policy' | 'PolicyBinding'): string {
  return `${kind.toLowerCase()}admission${what === 'Policy' ? 'policies' : 'policybindings'}`;
}

function create(kind: Kind, what: 'Policy' | 'PolicyBinding', name: string, spec: object): Step {
  const metadata = { name, labels: { run: '{ns}' } };
  const body = JSON.stringify({ apiVersion: group, kind: `${kind}Admission${what}`, metadata, spec });
  return { method: 'POST', path: `/apis/${group}/${pluralOf(kind, what)}`, contentType: json, body };
}

/** Objects that policies may take as parameters. */
const parameters: readonly Step[] = ['one', 'two'].map((name, index) => {
  const limit = `${index + 1}`;
  const body = JSON.stringify({ metadata: { name, labels: { limit } }, data: { limit } });
  return { method: 'POST', path: '/api/v1/namespaces/{ns}/configmaps', contentType: json, body };
});
