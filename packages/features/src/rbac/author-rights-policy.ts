import type { KubeObject } from '@slipway/kube';
import { group, kubernetesNamespace, serverNamespace } from '../api/group.js';
import { isSpecWritten } from './author-policy.js';
import { serverAccount } from './server-rights.js';

const admission = 'admissionregistration.k8s.io/v1';
const name = 'slipway-author-rights';

/** As many as an API server evaluates in one request. The feature server checks all. */
const checked = 8;

/** What clears a field or a collection, and the verb that its author needs. */
const verbOfTask = { ClearField: 'patch', ClearCollection: 'delete' } as const;

/**
 * Rejects a definition whose author may not read what its references name, or not change what its tasks clear, as RBAC
 * rejects a role with rights that its author does not have. It tells early what the feature server would refuse later.
 */
export function authorRightsPolicyObjects(): readonly [policy: KubeObject, binding: KubeObject] {
  const inCluster = `request.namespace in ['${kubernetesNamespace}', '${serverNamespace}']`;
  const variables = [
    { name: 'references', expression: 'object.spec.?references.orValue([])' },
    { name: 'tasks', expression: 'object.spec.?tasks.?off.orValue([])' },
    {
      name: 'isOfCluster',
      expression: `has(object.spec.scope) ? object.spec.scope == 'Cluster' : ${inCluster}`,
    },
    { name: 'where', expression: "variables.isOfCluster ? '' : request.namespace" },
    {
      name: 'place',
      expression: "variables.isOfCluster ? ' in the whole cluster' : ' in namespace ' + request.namespace",
    },
  ];
  const places = Array.from({ length: checked }, (_none, index) => index);
  const kinds = Object.entries(verbOfTask);
  const validations = [
    ...places.map((index) => {
      const reference = `variables.references[${index}]`;
      return demand(`size(variables.references) <= ${index}`, reference, 'list');
    }),
    ...places.flatMap((index) =>
      kinds.map(([kind, verb]) => {
        const task = `variables.tasks[${index}]`;
        return demand(`size(variables.tasks) <= ${index} || ${task}.kind != '${kind}'`, `${task}.args`, verb);
      }),
    ),
  ];
  const user = `system:serviceaccount:${serverAccount.namespace}:${serverAccount.name}`;
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      resourceRules: [
        { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['featuredefinitions'] },
      ],
    },
    matchConditions: [
      { name: 'spec-is-written', expression: isSpecWritten },
      { name: 'not-by-a-feature-server', expression: `request.userInfo.username != '${user}'` },
    ],
    variables,
    validations,
  };
  return [
    { apiVersion: admission, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec },
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

function demand(unless: string, named: string, verb: string) {
  const check = `authorizer.group(${named}.group).resource(${named}.resource).namespace(variables.where).check('${verb}')`;
  return {
    expression: `${unless} || ${check}.allowed()`,
    messageExpression: `'user ' + request.userInfo.username + ' may not ${verb} ' + ${named}.resource + variables.place`,
    reason: 'Forbidden',
  };
}
