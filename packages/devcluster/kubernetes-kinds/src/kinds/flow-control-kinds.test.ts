import {
  mandatoryLevels,
  mandatorySchemas,
  suggestedLevels,
  suggestedSchemas,
} from '@slipway/api-server/flow-control/declared-flows';
import { expect, test } from 'vitest';
import { flowSchemas } from './flow-schema.js';
import { priorityLevelConfigurations } from './priority-level-configuration.js';
import { created, createErrors, row } from './testing/write.js';

const rule = {
  subjects: [{ kind: 'User', user: { name: 'jane' } }],
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true }],
};
const schema = (more: object = {}) => ({
  spec: { priorityLevelConfiguration: { name: 'low' }, matchingPrecedence: 500, rules: [rule], ...more },
});
const limited = (more: object = {}) => ({
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...more } },
});
const queuing = (more: object) => limited({ limitResponse: { type: 'Queue', queuing: more } });

test('what every cluster begins with is valid, and is as its defaults make it', () => {
  for (const [name, spec] of [...mandatorySchemas, ...suggestedSchemas]) {
    expect(createErrors(flowSchemas, { metadata: { name }, spec })).toEqual([]);
    expect(created(flowSchemas, { metadata: { name }, spec }).spec).toEqual(spec);
  }
  for (const [name, spec] of [...mandatoryLevels, ...suggestedLevels]) {
    expect(createErrors(priorityLevelConfigurations, { metadata: { name }, spec })).toEqual([]);
    expect(created(priorityLevelConfigurations, { metadata: { name }, spec }).spec).toEqual(spec);
  }
});

test('defaults of flow control are those of Kubernetes', () => {
  const { spec } = created(flowSchemas, { spec: { priorityLevelConfiguration: { name: 'low' } } });
  expect(spec.matchingPrecedence).toBe(1000);
  expect(created(priorityLevelConfigurations, queuing({})).spec.limited).toEqual({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
  });
});

// FlowSchema | what is wrong with it
const wrongSchemas: [object, string[]][] = [
  [schema(), []],
  [schema({ matchingPrecedence: -1 }), ['spec.matchingPrecedence: Invalid value: -1: must be a positive value']],
  [
    schema({ matchingPrecedence: 10_001 }),
    ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
  ],
  [
    schema({ matchingPrecedence: 1 }),
    ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ],
  [
    schema({ priorityLevelConfiguration: { name: '' } }),
    ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
  ],
  [
    schema({ rules: [{ subjects: [] }] }),
    [
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  ],
  [
    schema({ rules: [{ ...rule, subjects: [{ kind: 'User', group: { name: 'g' } }] }] }),
    [
      "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
      "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
    ],
  ],
  [
    schema({ rules: [{ ...rule, subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: '*' } }] }] }),
    ['spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account'],
  ],
  [
    schema({ rules: [{ ...rule, subjects: [{ kind: 'Robot' }] }] }),
    ['spec.rules[0].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"'],
  ],
  [
    schema({
      rules: [
        {
          ...rule,
          resourceRules: [{ verbs: ['*', 'get'], apiGroups: [], resources: ['*', 'pods'], namespaces: ['A'] }],
        },
      ],
    }),
    [
      `spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
      'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group',
      `spec.rules[0].resourceRules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources`,
      expect.stringContaining(
        `namespaces[0]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label`,
      ),
    ],
  ],
  [
    schema({
      rules: [
        { ...rule, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['healthz', '/a b', '//', '/a*', '/a/*'] }] },
      ],
    }),
    [
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "healthz": must start with slash',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a b": must not contain white-space',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[2]: Invalid value: "//": must not contain double slash',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[3]: Invalid value: "/a*": wildcard can only do suffix matching',
    ],
  ],
  [
    { metadata: { name: 'catch-all' }, ...schema() },
    [expect.stringContaining("spec of 'catch-all' must equal the fixed value")],
  ],
];

test.each(wrongSchemas)('FlowSchema of %j', (object, errors) => {
  expect(createErrors(flowSchemas, object)).toEqual(errors);
});

// PriorityLevelConfiguration | what is wrong with it
const wrongLevels: [object, string[]][] = [
  [limited(), []],
  [
    { spec: { type: 'Exempt' } },
    ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
  ],
  [{ spec: { type: 'Limited' } }, ['spec.limited: Required value: must not be empty when type is Limited']],
  [
    limited({ nominalConcurrencyShares: -1, lendablePercent: 101, borrowingLimitPercent: -5 }),
    [
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      'spec.limited.borrowingLimitPercent: Invalid value: -5: if specified, must be a non-negative integer',
    ],
  ],
  [
    limited({ limitResponse: { type: 'Queue' } }),
    ['spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited'],
  ],
  [
    queuing({ queues: 4, handSize: 5 }),
    ['spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)'],
  ],
  [
    queuing({ queues: 1024, handSize: 7 }),
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 7: required entropy bits of deckSize 1024 and handSize 7 should not be greater than 60',
    ],
  ],
  [{ metadata: { name: 'exempt' }, spec: { type: 'Exempt', exempt: { lendablePercent: 50 } } }, []],
];

test.each(wrongLevels)('PriorityLevelConfiguration of %j', (object, errors) => {
  expect(createErrors(priorityLevelConfigurations, object)).toEqual(errors);
});

test('rows of flow control are those of kubectl', () => {
  expect(row(flowSchemas, created(flowSchemas, schema()))).toMatchObject({
    PRIORITYLEVEL: 'low',
    MATCHINGPRECEDENCE: 500,
    DISTINGUISHERMETHOD: '<none>',
    MISSINGPL: '?',
  });
  expect(row(priorityLevelConfigurations, created(priorityLevelConfigurations, queuing({ queues: 9 })))).toMatchObject({
    TYPE: 'Limited',
    NOMINALCONCURRENCYSHARES: 30,
    QUEUES: 9,
    HANDSIZE: 8,
    QUEUELENGTHLIMIT: 50,
  });
});
