import { expect, test } from 'vitest';
import { created, createErrors } from './testing/write.js';
import { validatingAdmissionPolicies } from './validating-admission-policy.js';
import { validatingAdmissionPolicyBindings } from './validating-admission-policy-binding.js';

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const policy = (spec: object) => ({
  spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }], ...spec },
});
const withRule = (more: object) => policy({ matchConstraints: { resourceRules: [{ ...rule, ...more }] } });

test('a policy is about every scope, namespace and object, in any version, and fails closed', () => {
  expect(created(validatingAdmissionPolicies, policy({})).spec).toMatchObject({
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ ...rule, scope: '*' }],
    },
  });
});

// spec | what is wrong with it
const refused: [object, string[]][] = [
  [
    { spec: {} },
    [
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  [policy({ matchConstraints: {} }), ['spec.matchConstraints.resourceRules: Required value']],
  [
    policy({ failurePolicy: 'Maybe' }),
    ['spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
  ],
  [
    withRule({ operations: ['*', 'CREATE'] }),
    [
      'spec.matchConstraints.resourceRules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
    ],
  ],
  [
    withRule({ operations: ['PATCH'] }),
    [
      'spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
  ],
  [
    withRule({ resources: ['pods/*', 'pods/status'] }),
    [
      'spec.matchConstraints.resourceRules[0].resources[1]: Invalid value: "pods/status": if \'pods/*\' is present, must not specify pods/status',
    ],
  ],
  [
    withRule({ resources: ['*', 'pods'] }),
    [
      'spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","pods"]: if \'*\' is present, must not specify other resources without subresources',
    ],
  ],
  [
    withRule({ resourceNames: ['a', 'a'] }),
    ['spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"'],
  ],
  [
    policy({ paramKind: { apiVersion: 'a/b/c', kind: 'X' } }),
    ['spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  ],
  [
    policy({ validations: [{ expression: ' ' }] }),
    ['spec.validations[0].expression: Required value: expression is not specified'],
  ],
  [
    policy({ validations: [{ expression: 'object.x' }] }),
    ['spec.validations[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn'],
  ],
  [
    policy({ validations: [{ expression: 'params.x == 1' }] }),
    [
      "spec.validations[0].expression: Invalid value: \"params.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^",
    ],
  ],
  [
    policy({ validations: [{ expression: 'true', messageExpression: "authorizer.path('/').check('get').reason()" }] }),
    [
      "spec.validations[0].messageExpression: Invalid value: \"authorizer.path('/').check('get').reason()\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')\n | authorizer.path('/').check('get').reason()\n | ^",
    ],
  ],
  [
    policy({ validations: [{ expression: 'true', message: 'a\nb' }] }),
    ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  ],
  [
    policy({ validations: [{ expression: 'true', reason: 'NotFound' }] }),
    [
      'spec.validations[0].reason: Unsupported value: "NotFound": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    policy({ validations: [{ expression: "object.metadata.name.matches('[')" }] }),
    [
      "spec.validations[0].expression: Invalid value: \"object.metadata.name.matches('[')\": compilation failed: ERROR: <input>:1:30: invalid matches argument\n | object.metadata.name.matches('[')\n | .............................^",
    ],
  ],
  [
    policy({
      variables: [
        { name: 'a', expression: 'variables.b' },
        { name: 'b', expression: '1' },
      ],
    }),
    [
      'spec.variables[0].expression: Invalid value: "variables.b": compilation failed: ERROR: <input>:1:10: undefined field \'b\'\n | variables.b\n | .........^',
    ],
  ],
  [
    policy({ variables: [{ name: 'for', expression: '1' }] }),
    ['spec.variables[0].name: Invalid value: "for": must be a valid CEL identifier'],
  ],
  [
    policy({
      matchConditions: [
        { name: 'a', expression: 'variables.x == 1' },
        { name: 'a', expression: 'true' },
      ],
    }),
    [
      "spec.matchConditions[0].expression: Invalid value: \"variables.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x == 1\n | ^",
      'spec.matchConditions[1].name: Duplicate value: "a"',
    ],
  ],
  [
    policy({ auditAnnotations: [{ key: 'a', valueExpression: '1' }] }),
    [
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ],
  ],
];
test.each(refused)('a policy that makes no sense is refused: %j', (given, errors) => {
  expect(createErrors(validatingAdmissionPolicies, given)).toEqual(errors);
});

const binding = (spec: object) => ({ spec: { policyName: 'p', validationActions: ['Deny'], ...spec } });

// spec of a binding | what is wrong with it
const unbound: [object, string[]][] = [
  [{ spec: {} }, ['spec.policyName: Required value', 'spec.validationActions: Required value']],
  [
    binding({ validationActions: ['Deny', 'Warn', 'Warn'] }),
    [
      'spec.validationActions[2]: Duplicate value: "Warn"',
      'spec.validationActions: Invalid value: ["Deny","Warn","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  ],
  [
    binding({ paramRef: {} }),
    [
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  ],
  [
    binding({ paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } }),
    [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
    ],
  ],
];
test.each(unbound)('a binding that makes no sense is refused: %j', (given, errors) => {
  expect(createErrors(validatingAdmissionPolicyBindings, given)).toEqual(errors);
});

test('what is wrong with a policy is found with a rest after each of its expressions', () => {
  const validations = Array.from({ length: 50 }, (_, index) => ({ expression: index === 7 ? '' : `${index} > 0` }));
  const object = created(validatingAdmissionPolicies, policy({ validations }));
  const work = validatingAdmissionPolicies.validating?.create(object);
  let rests = 0;
  let step = work?.next();
  for (; step && !step.done; step = work?.next()) rests += 1;
  expect(rests).toBe(validations.length);
  expect(step?.value).toEqual(validatingAdmissionPolicies.validateCreate(object));
});
