import { type KubeObject, role, roleBinding } from '@slipway/kube';
import { apiVersion, group, kubernetesNamespace, serverNamespace } from '../api/group.js';
import { reporterRoleObject } from './reporter-role.js';

/** As whom a node agent talks to the API, and to the components of its node. */
export const agentAccount = { kind: 'ServiceAccount', namespace: serverNamespace, name: 'slipway-node-agent' } as const;

/**
 * Returns the account and the rights of a node agent: to read pages of components and its node, and to report in the
 * namespace of Kubernetes' own features and in events, though only for the node that its token was made for. `nodes/proxy` is not
 * needed.
 */
export function agentRights(): readonly KubeObject[] {
  const { kind, ...metadata } = agentAccount;
  const pages = role(agentAccount.name, [
    { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
    { apiGroups: [''], resources: ['nodes/metrics', 'nodes/configz', 'nodes/healthz'], verbs: ['get'] },
    { nonResourceURLs: ['/metrics', '/flagz', '/healthz'], verbs: ['get'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ]);
  // The flags of static pods, in the pods that mirror them.
  const mirrors = role(
    agentAccount.name,
    [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    kubernetesNamespace,
  );
  const speaks = roleBinding(reporterRoleObject(), agentAccount, kubernetesNamespace);
  return [
    { apiVersion: 'v1', kind, metadata },
    pages,
    mirrors,
    roleBinding(pages, agentAccount),
    roleBinding(mirrors, agentAccount),
    { ...speaks, metadata: { ...speaks.metadata, name: `${agentAccount.name}-reports` } },
    ...pinnedToNode('slipway-reports-of-own-node', {
      of: { apiGroups: [group], apiVersions: [apiVersion.slice(group.length + 1)], resources: ['featureuses'] },
      node: 'spec.?node',
    }),
    ...pinnedToNode('slipway-events-of-own-node', {
      of: { apiGroups: [''], apiVersions: ['v1'], resources: ['events'] },
      node: '?source.?host',
    }),
  ];
}

interface PinnedObjects {
  readonly of: object;
  /** Optional field of an object that names the node, in CEL. */
  readonly node: string;
}

/** An agent speaks for its own node: the API server writes into its token which one that is (1.32 and later). */
function pinnedToNode(name: string, { of, node }: PinnedObjects): readonly KubeObject[] {
  const admission = 'admissionregistration.k8s.io/v1';
  const metadata = { name };
  const user = `system:serviceaccount:${agentAccount.namespace}:${agentAccount.name}`;
  const nodeName = "'authentication.kubernetes.io/node-name'";
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [{ ...of, operations: ['CREATE', 'UPDATE', 'DELETE'] }] },
    matchConditions: [{ name: 'by-a-node-agent', expression: `request.userInfo.username == '${user}'` }],
    variables: [
      {
        name: 'own',
        expression: `${nodeName} in request.userInfo.extra ? request.userInfo.extra[${nodeName}][0] : ''`,
      },
    ],
    validations: [
      {
        expression: "variables.own != ''",
        message: 'the token of this node agent does not say which node it is on',
      },
      {
        expression: `(request.operation == 'CREATE' || oldObject.${node}.orValue('') == variables.own) && (request.operation == 'DELETE' || object.${node}.orValue('') == variables.own)`,
        messageExpression: "'a node agent reports for its own node, which is ' + variables.own",
      },
    ],
  };
  return [
    { apiVersion: admission, kind: 'ValidatingAdmissionPolicy', metadata, spec },
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    },
  ];
}
