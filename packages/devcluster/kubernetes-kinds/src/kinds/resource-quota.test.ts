import { expect, test } from 'vitest';
import { resourceQuotas } from './resource-quota.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const quota = (hard: object, more: object = {}) => ({ spec: { hard, ...more } });
const exists = (scopeName: string, operator = 'Exists', values?: string[]) => ({
  scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values && { values }) }] },
});

// quota | what is wrong with it
const refused: [object, string[]][] = [
  [quota({ pods: '1', 'requests.cpu': '500m', 'count/jobs.batch': '2', 'requests.example.com/gpu': '1' }), []],
  [
    quota({ nope: '1' }),
    [
      'spec.hard[nope]: Invalid value: "nope": must be a standard resource type or fully qualified',
      'spec.hard[nope]: Invalid value: "nope": must be a standard resource for quota',
    ],
  ],
  [quota({ pods: '-1' }), ['spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0']],
  [quota({ pods: '500m' }), ['spec.hard[pods]: Invalid value: "500m": must be an integer']],
  [quota({ pods: '1' }, { scopes: ['Nope'] }), ['spec.scopes: Invalid value: ["Nope"]: unsupported scope']],
  [
    quota({ pods: '1' }, { scopes: ['BestEffort', 'NotBestEffort'] }),
    ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
  ],
  [
    quota({ services: '1' }, { scopes: ['BestEffort'] }),
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [quota({ pods: '1' }, exists('PriorityClass', 'In', ['a'])), []],
  [
    quota({ pods: '1' }, exists('PriorityClass', 'In')),
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
  [
    quota({ pods: '1' }, exists('BestEffort', 'In', ['a'])),
    [
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be \'Exists\' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
    ],
  ],
];
test.each(refused)('what is wrong with a quota: %j', (given, errors) => {
  expect(createErrors(resourceQuotas, given)).toEqual(errors);
});

test('the scopes of a quota stay', () => {
  const before = quota({ pods: '1' }, { scopes: ['BestEffort'] });
  expect(updateErrors(resourceQuotas, before, quota({ pods: '2' }, { scopes: ['BestEffort'] }))).toEqual([]);
  expect(updateErrors(resourceQuotas, before, quota({ pods: '1' }))).toEqual([
    'spec.scopes: Invalid value: null: field is immutable',
  ]);
});

test('a quota shows what is used of what', () => {
  const hard = { pods: '4', 'limits.cpu': '2', cpu: '1' };
  const shown = {
    ...created(resourceQuotas, quota(hard)),
    status: { hard, used: { pods: '3', 'limits.cpu': '500m' } },
  };
  expect(row(resourceQuotas, shown)).toMatchObject({ REQUEST: 'cpu: 0/1, pods: 3/4', LIMIT: 'limits.cpu: 500m/2' });
});
