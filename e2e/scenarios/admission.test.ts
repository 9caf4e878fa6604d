import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  aWebhookServer,
  type WebhookServer,
} from '../../packages/devcluster/api-server/src/admission/webhooks/testing/a-webhook-server.js';
import { needs } from '../../tools/real-parts.js';
import { eventually, type RunningCluster, up } from '../support/slipway.js';

let cluster: RunningCluster;
beforeEach(async (context) => {
  needs(context, 'kubectl');
  cluster = await up({ nodes: 1, args: ['--ephemeral'] });
});
afterEach(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

/** What kubectl says when it succeeds. */
async function kubectl(args: readonly string[], stdin = ''): Promise<string> {
  const done = await cluster.kubectl(args, { stdin });
  expect(done.code, `kubectl ${args.join(' ')}: ${done.stderr}`).toBe(0);
  return done.stdout;
}

/** What kubectl says when it fails. */
async function refused(args: readonly string[], stdin = ''): Promise<string> {
  const done = await cluster.kubectl(args, { stdin });
  expect(done.code, `kubectl ${args.join(' ')}: ${done.stdout}`).toBe(1);
  return done.stderr;
}

const policy = (name: string, spec: string) => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: ${name} }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments] }]
${spec}`;
const binding = (name: string, spec: string) => `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: ${name}-binding }
spec: { policyName: ${name}, ${spec} }`;

test('a policy with a parameter denies within a second, follows its parameter, and warns where it only warns', async () => {
  await kubectl(['create', 'configmap', 'limit', '--from-literal=max=2']);
  const validations = `
  paramKind: { apiVersion: v1, kind: ConfigMap }
  variables: [{ name: max, expression: "int(params.data['max'])" }]
  validations:
  - expression: object.spec.replicas <= variables.max
    messageExpression: "'at most ' + string(variables.max) + ' replicas'"`;
  const paramRef = 'paramRef: { name: limit, namespace: default, parameterNotFoundAction: Deny }';
  const denying = `validationActions: [Deny], ${paramRef}`;
  await kubectl(['apply', '-f', '-'], policy('replicas', validations) + binding('replicas', denying));
  const denied = await eventually(
    'the policy denies',
    async () => {
      const done = await cluster.kubectl([
        'create',
        'deployment',
        'big',
        '--image=registry.example/app:1',
        '--replicas=3',
      ]);
      return done.code === 1 && done.stderr;
    },
    5_000,
  );
  expect(denied).toContain(
    "ValidatingAdmissionPolicy 'replicas' with binding 'replicas-binding' denied request: at most 2 replicas",
  );
  await kubectl(['create', 'deployment', 'small', '--image=registry.example/app:1', '--replicas=2']);
  expect(await refused(['patch', 'deployment', 'small', '-p', '{"spec":{"replicas":3}}'])).toContain(
    'at most 2 replicas',
  );

  await kubectl(['create', 'configmap', 'limit', '--from-literal=max=3', '--dry-run=client', '-o', 'yaml']).then(
    (text) => kubectl(['replace', '-f', '-'], text),
  );
  await kubectl(['patch', 'deployment', 'small', '-p', '{"spec":{"replicas":3}}']);
  expect(await kubectl(['get', 'validatingadmissionpolicies'])).toMatch(/replicas +1 +v1\/ConfigMap /);

  await kubectl(['apply', '-f', '-'], binding('replicas', `validationActions: [Warn], ${paramRef}`));
  const warned = await cluster.kubectl(['scale', 'deployment', 'small', '--replicas=9']);
  expect(warned.code).toBe(0);
  const patched = await cluster.kubectl(['patch', 'deployment', 'small', '-p', '{"spec":{"replicas":8}}']);
  expect(patched.stderr).toContain(
    "Warning: Validation failed for ValidatingAdmissionPolicy 'replicas' with binding 'replicas-binding': at most 3 replicas",
  );
});

test('a policy that does not fit its kind is told so in its status, and one that is not an expression is rejected', async () => {
  await kubectl(['apply', '-f', '-'], policy('typo', '  validations: [{ expression: "object.replicas < 3" }]'));
  const path = ['-o', 'jsonpath={.status.typeChecking.expressionWarnings[*].warning}'];
  const warning = await eventually('the policy is checked', () =>
    kubectl(['get', 'validatingadmissionpolicy', 'typo', ...path]),
  );
  expect(warning).toContain("apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'");
  const broken = policy('broken', '  validations: [{ expression: "object.replicas <" }]');
  expect(await refused(['apply', '-f', '-'], broken)).toContain('compilation failed: ERROR: <input>:1:');
});

test('a policy that mutates adds what is missing', async () => {
  await kubectl(
    ['apply', '-f', '-'],
    `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: { name: label }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps] }]
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'made-by': request.userInfo.username}}}" }
  reinvocationPolicy: Never
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: { name: label }
spec: { policyName: label }`,
  );
  await kubectl(['create', 'configmap', 'a']);
  expect(await kubectl(['get', 'configmap', 'a', '--show-labels', '--no-headers'])).toMatch(/made-by=\S+/);
});

function configuration(which: 'Validating' | 'Mutating', hook: WebhookServer): string {
  return `
apiVersion: admissionregistration.k8s.io/v1
kind: ${which}WebhookConfiguration
metadata: { name: check }
webhooks:
- name: check.example.com
  clientConfig: { url: "${hook.url}", caBundle: ${hook.caBundle} }
  rules: [{ apiGroups: [''], apiVersions: [v1], operations: [CREATE, DELETE], resources: [configmaps] }]
  sideEffects: None
  timeoutSeconds: 1
  admissionReviewVersions: [v1]`;
}

test('a webhook of a developer changes, refuses, warns, and fails as it was told', async () => {
  const hook = await aWebhookServer();
  try {
    hook.answer = ({ operation }) => {
      if (operation === 'DELETE') {
        return { response: { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'it stays' } } };
      }
      const patch = Buffer.from('[{"op":"add","path":"/data","value":{"seen":"yes"}}]').toString('base64');
      return { response: { allowed: true, patchType: 'JSONPatch', patch, warnings: ['changed'] } };
    };
    await kubectl(['apply', '-f', '-'], configuration('Mutating', hook));
    const created = await cluster.kubectl(['create', 'configmap', 'a']);
    expect(created.stderr).toContain('Warning: changed');
    expect(await kubectl(['get', 'configmap', 'a', '-o', 'jsonpath={.data.seen}'])).toBe('yes');
    expect(await refused(['delete', 'configmap', 'a'])).toContain(
      'admission webhook "check.example.com" denied the request: it stays',
    );
    hook.answer = () => 'silence';
    expect(await refused(['create', 'configmap', 'b'])).toMatch(
      /failed calling webhook "check\.example\.com": failed to call webhook: Post "https:\/\/\S+\?timeout=1s": context deadline exceeded/,
    );
  } finally {
    hook.close();
  }
});

test('a quota holds, is counted again when something goes, and can be looked at', async () => {
  await kubectl(['create', 'quota', 'few', '--hard=configmaps=3,requests.cpu=1']);
  await eventually('the quota is in force', async () =>
    /configmaps +1 +3/.test(await kubectl(['describe', 'quota', 'few'])),
  );
  await kubectl(['create', 'configmap', 'a']);
  await kubectl(['create', 'configmap', 'b']);
  expect(await refused(['create', 'configmap', 'c'])).toContain(
    'configmaps "c" is forbidden: exceeded quota: few, requested: configmaps=1, used: configmaps=3, limited: configmaps=3',
  );
  expect(await refused(['run', 'p', '--image=registry.example/app:1'])).toContain(
    'pods "p" is forbidden: failed quota: few: must specify requests.cpu for: p',
  );
  await kubectl(['delete', 'configmap', 'a']);
  await eventually(
    'the place is free again',
    async () => (await cluster.kubectl(['create', 'configmap', 'c'])).code === 0,
  );
  expect(await kubectl(['get', 'quota'])).toMatch(/few +configmaps: 3\/3, requests\.cpu: 0\/1/);
});

test('a limit range fills in and refuses, and can be looked at', async () => {
  await kubectl(
    ['apply', '-f', '-'],
    `
apiVersion: v1
kind: LimitRange
metadata: { name: sizes }
spec:
  limits: [{ type: Container, defaultRequest: { cpu: 100m }, default: { cpu: 200m }, max: { cpu: "1" } }]`,
  );
  expect(await kubectl(['describe', 'limits', 'sizes'])).toMatch(/Container +cpu +- +1 +100m +200m +-/);
  await kubectl(['run', 'p', '--image=registry.example/app:1']);
  expect(await kubectl(['get', 'pod', 'p', '-o', 'jsonpath={.spec.containers[0].resources}'])).toBe(
    '{"limits":{"cpu":"200m"},"requests":{"cpu":"100m"}}',
  );
  const overrides = '{"spec":{"containers":[{"name":"q","image":"a","resources":{"limits":{"cpu":"2"}}}]}}';
  expect(await refused(['run', 'q', '--image=a', `--overrides=${overrides}`])).toContain(
    'pods "q" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
  );
});
