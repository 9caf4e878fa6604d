import type {
  FlowRule,
  FlowSchemaSpec,
  FlowSubject,
  PriorityLevelSpec,
  ResourceRule,
} from '@slipway/kube-objects/kinds/flow-objects';

/** Mandatory objects, in effect even if they do not exist; their specs cannot be changed. */
export const mandatoryLevels: ReadonlyMap<string, PriorityLevelSpec> = new Map([
  ['catch-all', limited(5, 0)],
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
]);

/** What a cluster begins with beyond that. */
export const suggestedLevels: ReadonlyMap<string, PriorityLevelSpec> = new Map([
  ['system', limited(30, 33, [64, 6])],
  ['node-high', limited(40, 25, [64, 6])],
  ['leader-election', limited(10, 0, [16, 4])],
  ['workload-high', limited(40, 50, [128, 6])],
  ['workload-low', limited(100, 90, [128, 6])],
  ['global-default', limited(20, 50, [128, 6])],
]);

const everybody = groups('system:unauthenticated', 'system:authenticated');
const systemAccounts: FlowSubject = { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'kube-system' } };

/** @see mandatoryLevels */
export const mandatorySchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  ['exempt', schema('exempt', 1, undefined, everything(groups('system:masters')))],
  ['catch-all', schema('catch-all', 10_000, 'ByUser', everything(everybody))],
]);

/** @see suggestedLevels */
export const suggestedSchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    'probes',
    schema('exempt', 2, undefined, {
      subjects: everybody,
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
    }),
  ],
  [
    'system-leader-election',
    schema('leader-election', 100, 'ByUser', {
      subjects: [...users('system:kube-controller-manager', 'system:kube-scheduler'), systemAccounts],
      resourceRules: [resources(['get', 'create', 'update'], 'coordination.k8s.io', ['leases'], false)],
    }),
  ],
  [
    'system-node-high',
    schema('node-high', 400, 'ByUser', {
      subjects: groups('system:nodes'),
      resourceRules: [
        resources(['*'], '', ['nodes', 'nodes/status'], true),
        resources(['*'], 'coordination.k8s.io', ['leases'], false),
      ],
    }),
  ],
  ['system-nodes', schema('system', 500, 'ByUser', everything(groups('system:nodes')))],
  [
    'kube-controller-manager',
    schema('workload-high', 800, 'ByNamespace', everything(users('system:kube-controller-manager'))),
  ],
  ['kube-scheduler', schema('workload-high', 800, 'ByNamespace', everything(users('system:kube-scheduler')))],
  ['kube-system-service-accounts', schema('workload-high', 900, 'ByNamespace', everything([systemAccounts]))],
  ['service-accounts', schema('workload-low', 9_000, 'ByUser', everything(groups('system:serviceaccounts')))],
  ['global-default', schema('global-default', 9_900, 'ByUser', everything(everybody))],
]);

function limited(
  nominalConcurrencyShares: number,
  lendablePercent: number,
  deck?: readonly [queues: number, handSize: number],
): PriorityLevelSpec {
  const limitResponse = deck
    ? { type: 'Queue' as const, queuing: { queues: deck[0], handSize: deck[1], queueLengthLimit: 50 } }
    : { type: 'Reject' as const };
  return { type: 'Limited', limited: { nominalConcurrencyShares, lendablePercent, limitResponse } };
}

function schema(
  level: string,
  matchingPrecedence: number,
  type: 'ByUser' | 'ByNamespace' | undefined,
  rule: FlowRule,
): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(type && { distinguisherMethod: { type } }),
    rules: [rule],
  };
}

function everything(subjects: readonly FlowSubject[]): FlowRule {
  return {
    subjects,
    resourceRules: [resources(['*'], '*', ['*'], true)],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  };
}

function resources(
  verbs: readonly string[],
  group: string,
  names: readonly string[],
  clusterScope: boolean,
): ResourceRule {
  return { verbs, apiGroups: [group], resources: names, ...(clusterScope && { clusterScope }), namespaces: ['*'] };
}

function groups(...names: readonly string[]): FlowSubject[] {
  return names.map((name) => ({ kind: 'Group', group: { name } }));
}

function users(...names: readonly string[]): FlowSubject[] {
  return names.map((name) => ({ kind: 'User', user: { name } }));
}
