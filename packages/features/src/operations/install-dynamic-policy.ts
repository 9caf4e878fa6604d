import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { ValidatingBinding, ValidatingPolicy } from '../api/admission-kinds.js';
import { group } from '../api/group.js';
import { putObject } from './put-object.js';

/** The verb on `features` that lets a user of the API change values while processes run. */
export const dynamicVerb = 'set-dynamic';

const name = 'slipway-set-dynamic';

/** A ClusterRole for those who may: bound in a namespace, it is about the features there. */
export const setterRole = 'slipway:feature-setter';

const ClusterRole: ResourceRef = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};

/**
 * Has the API server ask for the verb `set-dynamic` from whoever changes what a Feature with
 * `mode: Dynamic` should be, or makes one dynamic: to edit Features is not enough.
 * @throws StatusError when the API server refuses the policy.
 */
export async function installDynamicPolicy(kube: Kube, signal?: AbortSignal): Promise<void> {
  await putObject(kube, ValidatingPolicy, policy(), signal);
  await putObject(kube, ValidatingBinding, binding(), signal);
  await putObject(kube, ClusterRole, role(), signal);
}

/** Returns the objects that `installDynamicPolicy` creates. */
export function dynamicPolicyObjects(): readonly KubeObject[] {
  return [policy(), binding(), role()];
}

function policy(): KubeObject {
  const mode = (object: string) => `${object}.spec.?mode.orValue('Follow')`;
  const desired = (object: string) => `${object}.spec.?desired.orValue('Unmanaged')`;
  const steps = (object: string) => `(has(${object}.spec.canary) ? ${object}.spec.canary.steps : [])`;
  const differs = (field: (object: string) => string) => `${field('object')} != ${field('oldObject')}`;
  const variables = [
    { name: 'before', expression: `oldObject == null ? 'Follow' : ${mode('oldObject')}` },
    { name: 'dynamic', expression: `${mode('object')} == 'Dynamic' || variables.before == 'Dynamic'` },
    { name: 'changed', expression: `oldObject == null || ${[mode, desired, steps].map(differs).join(' || ')}` },
    {
      name: 'allowed',
      expression: `authorizer.group('${group}').resource('features').namespace(object.metadata.namespace).name(object.metadata.name).check('${dynamicVerb}').allowed()`,
    },
  ];
  const message = `a value that changes while processes run needs the verb ${dynamicVerb} on features.${group}; the ClusterRole ${setterRole} has it`;
  return {
    ...headOf(ValidatingPolicy),
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['features'] },
        ],
      },
      variables,
      validations: [
        {
          expression: '!variables.dynamic || !variables.changed || variables.allowed',
          message,
          reason: 'Forbidden',
        },
      ],
    },
  };
}

function binding(): KubeObject {
  return { ...headOf(ValidatingBinding), spec: { policyName: name, validationActions: ['Deny'] } };
}

function role(): KubeObject {
  const rules = [
    { apiGroups: [group], resources: ['features'], verbs: ['get', 'list', 'watch', 'patch', 'update', dynamicVerb] },
    // What the plan of a change is made from.
    { apiGroups: [group], resources: ['featuredefinitions'], verbs: ['get', 'list', 'watch'] },
  ];
  const { apiVersion, kind } = headOf(ClusterRole);
  return { apiVersion, kind, metadata: { name: setterRole }, rules };
}

function headOf({ group: of, version, kind }: ResourceRef) {
  const labels = { 'app.kubernetes.io/managed-by': 'slipway' };
  return { apiVersion: `${of}/${version}`, kind, metadata: { name, labels } };
}
