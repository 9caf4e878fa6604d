import { aPolicy } from '@slipway/api-server/admission/policies/testing/a-policy';
import { definitionController } from '@slipway/api-server/crd/establish';
import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { admin, aServer } from '@slipway/devcluster/testing/a-server';
import {
  CustomResourceDefinition as customResourceDefinition,
  Kube,
  type KubeObject,
  Manager,
  silentLog,
} from '@slipway/kube';
import {
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from '@slipway/kube-objects/kinds/api/admission-policies';
import { definitionOf } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { policyStatusController } from './policy-status-controller.js';

function about(group: string, version: string, resource: string, spec: object): ValidatingAdmissionPolicy {
  const rule = { apiGroups: [group], apiVersions: [version], operations: ['*'], resources: [resource] };
  return aPolicy('p', { matchConstraints: { resourceRules: [rule] }, ...spec }) as ValidatingAdmissionPolicy;
}

/** What the check of a policy found, when it is done. */
async function checked(policy: ValidatingAdmissionPolicy, definitions: readonly KubeObject[] = []) {
  const { api, clock, store } = await aServer();
  const customKinds = definitionController({ store, registry: api.definitions, clock, onError: () => {} });
  const kube = new Kube(inprocTransport(api, admin));
  const manager = new Manager({ kube, log: silentLog });
  manager.add(policyStatusController({ kube, log: silentLog, informers: manager.informers }));
  await manager.start();
  try {
    for (const definition of definitions) await kube.resource(customResourceDefinition).create(definition);
    const client = kube.resource(validatingAdmissionPolicies);
    await client.create(policy);
    return await until('the policy to be checked', async () => {
      const { status, metadata } = await client.get({ name: 'p' });
      return status?.observedGeneration === metadata.generation && status;
    });
  } finally {
    await manager.stop();
    customKinds.close();
  }
}

test('expressions are checked against the schema of the kinds that a policy is about', async () => {
  const validations = [
    { expression: 'object.replicas > 1' },
    { expression: "object.spec.replicas > 'many'", messageExpression: "'is ' + object.spec.replicas" },
    {
      expression:
        'object.spec.template.spec.containers.all(c, c.image != "" && has(oldObject.status)) && variables.n > 0',
    },
  ];
  const variables = [{ name: 'n', expression: 'object.spec.replicas' }];
  const { typeChecking } = await checked(about('apps', 'v1', 'deployments', { validations, variables }));
  expect(typeChecking?.expressionWarnings).toEqual([
    {
      fieldRef: 'spec.validations[0].expression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n",
    },
    {
      fieldRef: 'spec.validations[1].expression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n" +
        " | object.spec.replicas > 'many'\n | .....................^\n",
    },
    {
      fieldRef: 'spec.validations[1].messageExpression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:7: found no matching overload for '_+_' applied to '(string, int)'\n" +
        " | 'is ' + object.spec.replicas\n | ......^\n",
    },
  ]);
});

test('a policy whose expressions fit, or about unknown kinds, is checked and left alone', async () => {
  const validations = [{ expression: "object.data['a'] == 'b' && oldObject != null" }];
  expect(await checked(about('', 'v1', 'configmaps', { validations }))).toMatchObject({ typeChecking: {} });
  expect(await checked(about('*', '*', '*', { validations }))).toMatchObject({ typeChecking: {} });
});

test('custom kinds and parameters have types, too', async () => {
  const schema = { type: 'object', properties: { max: { type: 'integer' } } };
  const limits = { group: 'example.com', version: 'v1', kind: 'Limit', plural: 'limits', namespaced: true };
  const spec = {
    paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' },
    validations: [{ expression: 'object.max <= params.max' }, { expression: 'object.min <= params.most' }],
  };
  const { typeChecking } = await checked(about('example.com', 'v1', 'limits', spec), [definitionOf(limits, schema)]);
  expect(typeChecking?.expressionWarnings).toHaveLength(1);
  expect(typeChecking?.expressionWarnings?.[0]?.warning).toMatch(/undefined field 'min'[\s\S]*undefined field 'most'/);
});
