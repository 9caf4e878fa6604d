import { formatQuantity, type KubeObject } from '@slipway/kube';
import type { ScopeRequirement } from '@slipway/kube-objects/kinds/api/resource-quotas';
import { usageOf } from '@slipway/kube-objects/rules/usage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtInDefinitions } from '../../kinds/catalogue.js';
import { aWrite } from '../testing/a-write.js';
import { checkQuota, mayCharge, type Quota } from './check-quota.js';

const nowMs = Date.parse('2026-11-20T12:00:00Z');

function definition(plural: string) {
  const found = builtInDefinitions().find((one) => one.plural === plural);
  if (!found) throw new Error(`no kind ${plural}`);
  return found;
}

function anObject(kind: string, fields: object = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'x', namespace: 'default' }, ...fields } as KubeObject;
}

type Resources = { requests?: Record<string, string>; limits?: Record<string, string> };
const container = (name: string, resources: Resources = {}) => ({ name, resources });
const aPod = (resources: Resources = {}, more: object = {}, fields: object = {}) =>
  anObject('Pod', { spec: { containers: [container('main', resources)], ...more }, ...fields });

// plural | object | what it uses
const usages: [string, KubeObject, Record<string, string>][] = [
  ['configmaps', anObject('ConfigMap'), { 'count/configmaps': '1', configmaps: '1' }],
  ['deployments', anObject('Deployment'), { 'count/deployments.apps': '1' }],
  [
    'pods',
    aPod({ requests: { cpu: '500m', memory: '1Gi', 'example.com/gpu': '2' }, limits: { cpu: '1' } }),
    {
      'count/pods': '1',
      pods: '1',
      cpu: '500m',
      'requests.cpu': '500m',
      'limits.cpu': '1',
      memory: '1Gi',
      'requests.memory': '1Gi',
      'requests.example.com/gpu': '2',
    },
  ],
  [
    'pods',
    anObject('Pod', {
      spec: {
        containers: [container('a', { requests: { cpu: '1' } }), container('b', { requests: { cpu: '1' } })],
        initContainers: [container('i', { requests: { cpu: '3' }, limits: { cpu: '4' } })],
        overhead: { cpu: '100m' },
      },
    }),
    { 'count/pods': '1', pods: '1', cpu: '3100m', 'requests.cpu': '3100m', 'limits.cpu': '4100m' },
  ],
  ['pods', aPod({ requests: { cpu: '1' } }, {}, { status: { phase: 'Succeeded' } }), { 'count/pods': '1' }],
  [
    'pods',
    anObject('Pod', {
      metadata: { name: 'x', deletionTimestamp: '2026-11-20T11:00:00Z', deletionGracePeriodSeconds: 30 },
      spec: { containers: [] },
    }),
    { 'count/pods': '1' },
  ],
  [
    'pods',
    aPod(
      { requests: { cpu: '1' } },
      {},
      {
        status: {
          containerStatuses: [
            { name: 'main', resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '2' } },
          ],
        },
      },
    ),
    { 'count/pods': '1', pods: '1', cpu: '2', 'requests.cpu': '2' },
  ],
  [
    'services',
    anObject('Service', { spec: { type: 'LoadBalancer', ports: [{ port: 1 }, { port: 2 }] } }),
    { 'count/services': '1', services: '1', 'services.loadbalancers': '1', 'services.nodeports': '2' },
  ],
  [
    'services',
    anObject('Service', {
      spec: {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 1, nodePort: 30_000 }, { port: 2 }],
      },
    }),
    { 'count/services': '1', services: '1', 'services.loadbalancers': '1', 'services.nodeports': '1' },
  ],
  [
    'persistentvolumeclaims',
    anObject('PersistentVolumeClaim', {
      spec: { storageClassName: 'fast', resources: { requests: { storage: '10Gi' } } },
    }),
    {
      'count/persistentvolumeclaims': '1',
      persistentvolumeclaims: '1',
      'requests.storage': '10Gi',
      'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      'fast.storageclass.storage.k8s.io/requests.storage': '10Gi',
    },
  ],
];
test.each(usages)('usageOf() counts what one of %s uses: %j', (plural, object, used) => {
  const found = usageOf(definition(plural), object, nowMs);
  const shown = [...found]
    .map(([name, amount]) => [name, formatQuantity(amount)] as const)
    .filter(([, text]) => text !== '0');
  expect(Object.fromEntries(shown)).toEqual(used);
});

function aQuota(hard: Record<string, string>, used: Record<string, string>, more: object = {}): Quota {
  return { name: 'q', spec: { hard, ...more }, status: { hard, used } };
}

const ask = (quota: Quota, plural: string, object: KubeObject, old?: KubeObject, subresource = '') => {
  const request = aWrite({
    resource: definition(plural),
    object,
    old,
    subresource,
    operation: old ? 'UPDATE' : 'CREATE',
  });
  return mayCharge(request) ? checkQuota(quota, request, nowMs) : undefined;
};

// quota: hard | used | pod | what the quota says
const answers: [Record<string, string>, Record<string, string>, KubeObject, unknown][] = [
  [{ pods: '2' }, { pods: '1' }, aPod(), { used: { pods: '2' } }],
  [
    { pods: '2' },
    { pods: '2' },
    aPod(),
    { refused: 'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2' },
  ],
  [{ services: '0' }, { services: '0' }, aPod(), undefined],
  [
    { 'requests.cpu': '1', 'requests.memory': '1Gi', pods: '9' },
    { 'requests.cpu': '800m', 'requests.memory': '0', pods: '0' },
    aPod({ requests: { cpu: '300m', memory: '2Gi' } }),
    {
      refused:
        'exceeded quota: q, requested: requests.cpu=300m,requests.memory=2Gi, used: requests.cpu=800m,requests.memory=0, limited: requests.cpu=1,requests.memory=1Gi',
    },
  ],
  [
    { 'requests.cpu': '1', 'limits.memory': '1Gi' },
    { 'requests.cpu': '0', 'limits.memory': '0' },
    anObject('Pod', { spec: { containers: [container('b'), container('a')] } }),
    { refused: 'failed quota: q: must specify limits.memory for: a,b; requests.cpu for: a,b' },
  ],
  [
    { pods: '2', cpu: '1' },
    { cpu: '0' },
    aPod({ requests: { cpu: '1' } }),
    { refused: 'status unknown for quota: q, resources: cpu,pods' },
  ],
];
test.each(answers)('checkQuota() with hard %j and used %j', (hard, used, pod, answer) => {
  expect(ask(aQuota(hard, used), 'pods', pod)).toEqual(answer);
});

const guaranteed = aPod({ requests: { cpu: '1', memory: '1' }, limits: { cpu: '1', memory: '1' } });
const priority = (operator: string, ...values: string[]): ScopeRequirement => ({
  scopeName: 'PriorityClass',
  operator,
  ...(values.length > 0 && { values }),
});

// scopes or a scope selector | a pod that counts | a pod that does not
const scopes: [object, KubeObject, KubeObject][] = [
  [{ scopes: ['Terminating'] }, aPod({}, { activeDeadlineSeconds: 5 }), aPod()],
  [{ scopes: ['NotTerminating'] }, aPod(), aPod({}, { activeDeadlineSeconds: 5 })],
  [{ scopes: ['BestEffort'] }, aPod(), guaranteed],
  [{ scopes: ['NotBestEffort'] }, guaranteed, aPod()],
  [
    { scopes: ['NotBestEffort', 'Terminating'] },
    { ...guaranteed, spec: { ...guaranteed.spec, activeDeadlineSeconds: 1 } },
    guaranteed,
  ],
  [
    { scopeSelector: { matchExpressions: [priority('In', 'high')] } },
    aPod({}, { priorityClassName: 'high' }),
    aPod({}, { priorityClassName: 'low' }),
  ],
  [
    { scopeSelector: { matchExpressions: [priority('NotIn', 'high')] } },
    aPod(),
    aPod({}, { priorityClassName: 'high' }),
  ],
  [{ scopeSelector: { matchExpressions: [priority('Exists')] } }, aPod({}, { priorityClassName: 'low' }), aPod()],
  [{ scopeSelector: { matchExpressions: [priority('DoesNotExist')] } }, aPod(), aPod({}, { priorityClassName: 'low' })],
];
test.each(scopes)('a quota counts the pods of its scopes: %j', (more, inside, outside) => {
  const quota = aQuota({ pods: '0' }, { pods: '0' }, more);
  expect(ask(quota, 'pods', inside)).toHaveProperty('refused');
  expect(ask(quota, 'pods', outside)).toBeUndefined();
});

test('a quota with scopes is about nothing but pods', () => {
  expect(
    ask(
      aQuota({ 'count/configmaps': '0' }, { 'count/configmaps': '0' }, { scopes: ['BestEffort'] }),
      'configmaps',
      anObject('ConfigMap'),
    ),
  ).toBeUndefined();
});

test('an update is charged for what is more than before, and gives nothing back', () => {
  const quota = aQuota({ 'requests.cpu': '2' }, { 'requests.cpu': '1' });
  const sized = (cpu: string) => aPod({ requests: { cpu } });
  expect(ask(quota, 'pods', sized('1500m'), sized('1'), 'resize')).toEqual({ used: { 'requests.cpu': '1500m' } });
  expect(ask(quota, 'pods', sized('3'), sized('1'), 'resize')).toHaveProperty('refused');
  expect(ask(quota, 'pods', sized('500m'), sized('1'), 'resize')).toBeUndefined();
  expect(ask(quota, 'pods', sized('3'), sized('1'))).toBeUndefined();
  const ports = (count: number, type: string) =>
    anObject('Service', { spec: { type, ports: Array.from({ length: count }, (_, port) => ({ port })) } });
  const nodePorts = aQuota({ 'services.nodeports': '1' }, { 'services.nodeports': '0' });
  expect(ask(nodePorts, 'services', ports(2, 'NodePort'), ports(2, 'ClusterIP'))).toHaveProperty('refused');
});

test('whatever is asked for, what is used never exceeds what may be', () => {
  const amount = fc.integer({ min: 0, max: 30 }).map((tenths) => `${tenths * 100}m`);
  const request = fc.record({ cpu: amount, memory: amount });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 20 }), fc.record({ cpu: amount, memory: amount }), (requests, hard) => {
      const limits = { 'requests.cpu': hard.cpu, 'requests.memory': hard.memory, pods: '5' };
      let used: Record<string, string> = { 'requests.cpu': '0', 'requests.memory': '0', pods: '0' };
      const sum = { cpu: 0n, memory: 0n, pods: 0n };
      for (const requested of requests) {
        const pod = aPod({ requests: requested });
        const answer = ask(aQuota(limits, used), 'pods', pod);
        if (!answer || !('used' in answer)) continue;
        used = { ...answer.used };
        const usage = usageOf(definition('pods'), pod, nowMs);
        sum.cpu += usage.get('requests.cpu')?.nano ?? 0n;
        sum.memory += usage.get('requests.memory')?.nano ?? 0n;
        sum.pods += 1n;
      }
      const nano = (text: string) =>
        BigInt(Number.parseInt(text, 10)) * (text.endsWith('m') ? 1_000_000n : 1_000_000_000n);
      expect(sum.cpu <= nano(hard.cpu) && sum.memory <= nano(hard.memory) && sum.pods <= 5n).toBe(true);
      expect(nano(used['requests.cpu'] ?? '')).toBe(sum.cpu);
    }),
  );
});
