import type { Access, PolicyRule } from '@slipway/api-machinery/identity/access';
import { expect, test } from 'vitest';
import { ruleAllows } from './rule-allows.js';

const on = (verb: string, resource: string, name = '', group = ''): Access => {
  const [plural = '', subresource = ''] = resource.split('/');
  return { kind: 'resource', verb, group, version: 'v1', resource: plural, subresource, namespace: 'default', name };
};
const at = (verb: string, path: string): Access => ({ kind: 'path', verb, path });
const rule = (verbs: string, resources: string, names?: string, groups = ''): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: groups.split(' '),
  resources: resources.split(' '),
  ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
});
const paths = (verbs: string, urls: string): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs: urls.split(' '),
});

// the rule it quotes | rule | access | allowed
const cases: [string, PolicyRule, Access, boolean][] = [
  ['a verb that is listed', rule('get list', 'pods'), on('list', 'pods'), true],
  ['a verb that is not', rule('get list', 'pods'), on('watch', 'pods'), false],
  ['"*" represents all verbs', rule('*', 'pods'), on('escalate', 'pods'), true],
  ['another resource', rule('get', 'pods'), on('get', 'secrets'), false],
  ['"*" represents all resources', rule('get', '*'), on('get', 'pods'), true],
  ['"*" represents all resources, with their subresources', rule('get', '*'), on('get', 'pods/log'), true],
  ['a resource does not include its subresources', rule('get', 'pods'), on('get', 'pods/log'), false],
  ['a subresource does not include its resource', rule('get', 'pods/log'), on('get', 'pods'), false],
  ['a subresource', rule('get', 'pods/log'), on('get', 'pods/log'), true],
  ['"*/scale" is the scale of every resource', rule('get', '*/scale'), on('get', 'deployments/scale'), true],
  ['"*/scale" is no other subresource', rule('get', '*/scale'), on('get', 'deployments/status'), false],
  ['"pods/*" is no wildcard', rule('get', 'pods/*'), on('get', 'pods/log'), false],
  ['another group', rule('get', 'deployments', undefined, 'apps'), on('get', 'deployments', '', 'extensions'), false],
  ['"*" represents all groups', rule('get', 'deployments', undefined, '*'), on('get', 'deployments', '', 'apps'), true],
  ['an empty set of names means that everything is allowed', rule('get', 'pods'), on('get', 'pods', 'a'), true],
  ['a name that is listed', rule('get', 'pods', 'a b'), on('get', 'pods', 'b'), true],
  ['a name that is not', rule('get', 'pods', 'a b'), on('get', 'pods', 'c'), false],
  ['names are no permission for the whole list', rule('list', 'pods', 'a'), on('list', 'pods'), false],
  ['names are no permission to create', rule('create', 'pods', 'a'), on('create', 'pods'), false],
  ['a path', paths('get', '/healthz'), at('get', '/healthz'), true],
  ['below a path', paths('get', '/healthz'), at('get', '/healthz/etcd'), false],
  [
    '"*s are allowed, but only as the full, final step in the path"',
    paths('get', '/healthz/*'),
    at('get', '/healthz/etcd'),
    true,
  ],
  ['a star covers what is below, not the path itself', paths('get', '/healthz/*'), at('get', '/healthz'), false],
  ['all paths', paths('*', '*'), at('post', '/anything'), true],
  ['a rule about paths says nothing about resources', paths('*', '*'), on('get', 'pods'), false],
  ['a rule about resources says nothing about paths', rule('*', '*', undefined, '*'), at('get', '/metrics'), false],
];

test.each(cases)('ruleAllows(): %s', (_what, given, access, allowed) => {
  expect(ruleAllows(given, access)).toBe(allowed);
});
