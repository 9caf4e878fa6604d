import type { KubeObject } from '@slipway/kube';
import { credentialPrefix } from '../api/author.js';
import { group } from '../api/group.js';

const admission = 'admissionregistration.k8s.io/v1';

/** Name of the policy that vouches for `author`, and of its binding. */
export const authorPolicyName = 'slipway-author';

const written = {
  matchPolicy: 'Equivalent',
  resourceRules: [
    {
      apiGroups: [group],
      apiVersions: ['*'],
      operations: ['CREATE', 'UPDATE'],
      resources: ['features', 'featuredefinitions'],
    },
  ],
};

/** Holds when a request writes the spec of an object. */
export const isSpecWritten = 'oldObject == null || object.spec != oldObject.spec';

/**
 * Returns the policy that makes the writer of a spec its author. A write that does not change the spec, such as of a
 * label or a finalizer, keeps the author: otherwise a controller with many rights could be made the author of another
 * user's definition.
 */
export function authorPolicyObjects(): readonly [policy: KubeObject, binding: KubeObject] {
  const metadata = { name: authorPolicyName };
  const isCredential = (key: string) => `${key}.startsWith('${credentialPrefix}')`;
  const variables = [
    { name: 'user', expression: 'request.userInfo' },
    { name: 'extra', expression: 'variables.user.?extra.orValue({})' },
    { name: 'told', expression: 'object.?author.?extra.orValue([])' },
    {
      name: 'isExtraOfUser',
      expression: [
        `variables.extra.all(k, ${isCredential('k')} || variables.told.exists(e, e.key == k && e.values == variables.extra[k]))`,
        'variables.told.all(e, e.key in variables.extra && e.values == variables.extra[e.key])',
      ].join(' && '),
    },
    {
      name: 'isUser',
      expression: [
        "object.?author.?username.orValue('') == variables.user.username",
        "object.?author.?uid.orValue('') == variables.user.?uid.orValue('')",
        'object.?author.?groups.orValue([]) == variables.user.?groups.orValue([])',
        'variables.isExtraOfUser',
      ].join(' && '),
    },
    {
      name: 'isUnchanged',
      expression: [
        'oldObject != null && object.spec == oldObject.spec',
        'has(object.author) == has(oldObject.author)',
        '(!has(object.author) || object.author == oldObject.author)',
      ].join(' && '),
    },
  ];
  const validations = [
    {
      expression: 'variables.isUnchanged || variables.isUser',
      messageExpression:
        "'author must be the user who writes the spec, which is ' + variables.user.username + '; write it with slipway, or have the API server set it, as slipway install does on Kubernetes 1.36 or later'",
      reason: 'Forbidden',
    },
  ];
  return [
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: { failurePolicy: 'Fail', matchConstraints: written, variables, validations },
    },
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    },
  ];
}

/** Has the API server set `author` itself, so that kubectl and others need not: policies of a version that it serves. */
export function authorStampObjects(version: string): readonly [policy: KubeObject, binding: KubeObject] {
  const metadata = { name: `${authorPolicyName}-stamp` };
  const apiVersion = `admissionregistration.k8s.io/${version}`;
  const value = [
    'Object.author{',
    'username: request.userInfo.username, ',
    "uid: request.userInfo.?uid.orValue(''), ",
    'groups: request.userInfo.?groups.orValue([]), ',
    `extra: request.userInfo.?extra.orValue({}).map(k, !k.startsWith('${credentialPrefix}'), `,
    'Object.author.extra{key: k, values: request.userInfo.extra[k]})}',
  ].join('');
  const expression = `[JSONPatch{op: 'add', path: '/author', value: ${value}}]`;
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'IfNeeded',
        matchConstraints: written,
        matchConditions: [{ name: 'spec-is-written', expression: isSpecWritten }],
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
      },
    },
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name },
    },
  ];
}
