import { apiVersion, kubernetesNamespace, reporterRole, serverNamespace } from '@slipway/features';
import { type KubeObject, policyRule, role, roleBinding } from '@slipway/kube';
import { group as pullsGroup, version as pullsVersion } from '../api/group.js';
import { NodePullQueue } from '../api/node-pull-queue.js';
import { PullLimit } from '../api/pull-limit.js';

/** As whom a node agent talks to the API, and to the components of its node. */
export const agentAccount = { kind: 'ServiceAccount', namespace: serverNamespace, name: 'slipway-node-agent' } as const;

/**
 * Returns the account and the rights of a node agent, and the role of those who read about pulls. The role of reporters
 * has to be there. An agent may read pages of components, its node and PullLimits, and report in the namespace of Kubernetes'
 * own features, in events and in the NodePullQueue, though only for the node that its token was made for. `nodes/proxy` is
 * not needed.
 */
export function nodeAgentManifests(): readonly KubeObject[] {
  const { kind, ...metadata } = agentAccount;
  const pages = role(agentAccount.name, [
    { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
    { apiGroups: [''], resources: ['nodes/metrics', 'nodes/configz', 'nodes/healthz'], verbs: ['get'] },
    // Components answer at /healthz without a right, except for kubelets.
    { nonResourceURLs: ['/metrics', '/flagz'], verbs: ['get'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    policyRule(pullsGroup, [PullLimit.plural], ['list', 'watch']),
    policyRule(pullsGroup, [NodePullQueue.plural], ['create', 'patch']),
  ]);
  // The flags of static pods, in the pods that mirror them.
  const mirrors = role(
    agentAccount.name,
    [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    kubernetesNamespace,
  );
  const reporter = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: reporterRole },
  };
  const speaks = roleBinding(reporter, agentAccount, kubernetesNamespace);
  return [
    { apiVersion: 'v1', kind, metadata },
    pages,
    mirrors,
    roleBinding(pages, agentAccount),
    roleBinding(mirrors, agentAccount),
    { ...speaks, metadata: { ...speaks.metadata, name: `${agentAccount.name}-reports` } },
    ...pinnedToNode('slipway-reports-of-own-node', {
      of: { ...versionOf(apiVersion), resources: ['featureuses'] },
      node: 'spec.?node',
    }),
    ...pinnedToNode('slipway-events-of-own-node', {
      of: { apiGroups: [''], apiVersions: ['v1'], resources: ['events'] },
      node: '?source.?host',
    }),
    ...pinnedToNode('slipway-pull-queue-of-own-node', {
      of: { apiGroups: [pullsGroup], apiVersions: [pullsVersion], resources: [NodePullQueue.plural] },
      node: '?metadata.?name',
    }),
    pullsViewer(),
  ];
}

/**
 * The queues name images and pods of all namespaces. They have no namespace, so only a cluster-wide binding of `view`
 * lets its holder read them, who may read all pods anyway.
 */
function pullsViewer(): KubeObject {
  const viewer = role('slipway-pulls-viewer', [
    policyRule(pullsGroup, [PullLimit.plural, NodePullQueue.plural], ['get', 'list', 'watch']),
  ]);
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
  return { ...viewer, metadata: { ...viewer.metadata, labels } };
}

function versionOf(of: string) {
  const [apiGroup = '', version = ''] = of.split('/');
  return { apiGroups: [apiGroup], apiVersions: [version] };
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
