import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { createFeatureGate, inClusterTransport } from '@slipway/feature-gates';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { eventually, type Outcome, type RunningCluster, up } from '../support/slipway.js';

let cluster: RunningCluster;
const kubectl = (line: string, stdin?: string): Promise<Outcome> =>
  cluster.kubectl(line.split(' '), stdin === undefined ? {} : { stdin });
/** What a command printed; it must have gone well. */
const done = async (line: string, stdin?: string): Promise<string> => {
  const outcome = await kubectl(line, stdin);
  expect(outcome.code, `${line}: ${outcome.stderr}`).toBe(0);
  return outcome.stdout;
};
/** What a command complained of; it must have failed. */
const refused = async (line: string, stdin?: string): Promise<string> => {
  const outcome = await kubectl(line, stdin);
  expect(outcome.code, line).not.toBe(0);
  return `${outcome.stdout}${outcome.stderr}`;
};

beforeAll(async () => {
  if (hasPart('kubectl')) cluster = await up({ nodes: 1, args: ['--ephemeral'] });
});
beforeEach((context) => needs(context, 'kubectl'));
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

describe('who asks', () => {
  test('whoami names the user of the kubeconfig, and whoever it is taken for', async () => {
    expect(await done('auth whoami')).toMatch(
      /Username +slipway-admin\nGroups +\[system:masters system:authenticated\]/,
    );
    const jane = await done('auth whoami --as jane --as-group devs --as-group cn=a,ou=b');
    expect(jane).toMatch(/Username +jane\nGroups +\[devs cn=a,ou=b system:authenticated\]/);
  });

  test('a token made by create token is the service account, for kubectl and the official client', async () => {
    await done('create serviceaccount robot');
    await done('create rolebinding robot --clusterrole=view --serviceaccount=default:robot');
    await done('create configmap c --from-literal=a=b');
    const token = (await done('create token robot --duration 20m')).trim();
    const config = await tokenKubeconfig('robot', token);
    const asRobot = (line: string) => cluster.kubectl(line.split(' '), { env: { KUBECONFIG: config } });
    expect((await asRobot('auth whoami')).stdout).toContain('system:serviceaccount:default:robot');
    await eventually('the role reached it', async () => (await asRobot('get configmap c')).code === 0);
    expect((await asRobot('delete configmap c')).stderr).toContain(
      'User "system:serviceaccount:default:robot" cannot delete resource "configmaps" in API group "" in the namespace "default"',
    );

    const kubeconfig = new KubeConfig();
    kubeconfig.loadFromFile(config);
    const client = kubeconfig.makeApiClient(CoreV1Api);
    const { data } = await client.readNamespacedConfigMap({ name: 'c', namespace: 'default' });
    expect(data).toEqual({ a: 'b' });

    await done('delete serviceaccount robot');
    expect((await asRobot('get configmap c')).stderr).toMatch(/must be logged in|Unauthorized/);
  });

  test('a token for another audience, and one that is none, are not believed', async () => {
    const token = (await done('create token default --audience vault')).trim();
    for (const bad of [token, 'nonsense']) {
      const config = await tokenKubeconfig('bad', bad);
      const outcome = await cluster.kubectl(['get', 'pods'], { env: { KUBECONFIG: config } });
      expect(outcome.stderr).toMatch(/must be logged in|Unauthorized/);
    }
  });
});

describe('who may', () => {
  test('can-i and can-i --list tell what roles give', async () => {
    expect(await refused('auth can-i list pods --as jane')).toMatch(/^no/);
    expect(await refused('get pods --as jane')).toContain(
      'Error from server (Forbidden): pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    await done('create role pods --verb=get,list --resource=pods,pods/log');
    await done('create rolebinding pods --role=pods --user=jane');
    expect(await done('auth can-i list pods --as jane')).toBe('yes\n');
    expect(await done('auth can-i get pods --subresource=log --as jane')).toBe('yes\n');
    expect(await refused('auth can-i list pods --as jane -n kube-system')).toMatch(/^no/);
    const list = await done('auth can-i --list --as jane');
    expect(list).toMatch(/pods\/log +\[\] +\[\] +\[get list\]/);
    expect(list).toMatch(/selfsubjectreviews\.authentication\.k8s\.io +\[\] +\[\] +\[create\]/);
    expect(await done('get pods --as jane')).toBe('');
  });

  test('view, edit and admin are what their parts add up to, with the parts that users add', async () => {
    const may = async (verb: string, what: string, role: string) =>
      (await kubectl(`auth can-i ${verb} ${what} --as u-${role}`)).code === 0;
    for (const role of ['view', 'edit', 'admin'])
      await done(`create rolebinding ${role} --clusterrole=${role} --user=u-${role}`);
    await eventually('the roles are put together', () => may('create', 'roles.rbac.authorization.k8s.io', 'admin'));
    expect(await may('list', 'secrets', 'view')).toBe(false);
    expect(await may('list', 'secrets', 'edit')).toBe(true);
    expect(await may('create', 'deployments.apps', 'edit')).toBe(true);
    expect(await may('create', 'roles.rbac.authorization.k8s.io', 'edit')).toBe(false);
    await done('create clusterrole uses --verb=get --resource=featureuses.features.slipway.dev');
    await done('label clusterrole uses rbac.authorization.k8s.io/aggregate-to-view=true');
    await eventually('a part is added', () => may('get', 'featureuses.features.slipway.dev', 'view'));
    await eventually('admin has what view has', () => may('get', 'featureuses.features.slipway.dev', 'admin'));
  });

  test('no user grants rights they do not have, not even by reconcile', async () => {
    await done('create rolebinding boss --clusterrole=admin --user=boss');
    await eventually('boss is there', async () => (await kubectl('auth can-i create roles --as boss')).code === 0);
    const wide = roles([{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'delete'] }]);
    const says = await refused('create -f - --as boss', wide);
    expect(says).toContain(
      'user "boss" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete"]}',
    );
    expect(await refused('auth reconcile -f - --as boss', wide)).toContain('not currently held');
    expect(await refused('create rolebinding x --clusterrole=cluster-admin --user=boss --as boss')).toContain(
      'not currently held',
    );
    const narrow = roles([{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]);
    expect(await done('auth reconcile -f - --as boss', narrow)).toContain(
      'role.rbac.authorization.k8s.io/r reconciled',
    );
    const more = roles([{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
    expect(await done('auth reconcile -f -', more)).toContain('reconciled');
    expect(JSON.parse(await done('get role r -o json')).rules).toHaveLength(2);
  });

  test('the role of a binding cannot be changed', async () => {
    await done('create rolebinding kept --clusterrole=view --user=jane');
    const patch = ['patch', 'rolebinding', 'kept', '--type=merge', '-p', '{"roleRef":{"name":"edit"}}'];
    expect((await cluster.kubectl(patch)).stderr).toMatch(/roleRef: .* field is immutable/);
  });

  test('a kubelet sees its own node', async () => {
    const asNode = '--as=system:node:n1 --as-group=system:nodes';
    expect(await done(`get node n1 -o name ${asNode}`)).toBe('node/n1\n');
    expect(await refused(`get nodes ${asNode}`)).toContain("node 'n1' cannot read all nodes, only its own Node object");
    expect(await refused(`label node n1 node-role.kubernetes.io/x= ${asNode}`)).toContain(
      'is not allowed to modify labels',
    );
    expect(await refused(`get secrets -A ${asNode}`)).toContain('can only read namespaced object of this type');
  });
});

test("a third party's program reports its gates by its own account, and needs no more than the role for it", async () => {
  await done('create namespace acme');
  await done('create serviceaccount operator -n acme');
  const folder = join(cluster.dataDir, 'acme');
  mkdirSync(folder);
  const authority = await eventually('the namespace has its certificate', async () => {
    const found = await cluster.kubectl([
      'get',
      'configmap',
      'kube-root-ca.crt',
      '-n',
      'acme',
      '-o',
      'jsonpath={.data.ca\\.crt}',
    ]);
    return found.stdout;
  });
  writeFileSync(join(folder, 'ca.crt'), authority);
  writeFileSync(join(folder, 'token'), await done('create token operator -n acme'));

  const gate = createFeatureGate({ component: 'acme-operator', version: '1.2' });
  gate.add({ FasterThings: { stage: 'Alpha', default: false } });
  const failures: string[] = [];
  const reporting = gate.startReporting({
    transport: inClusterTransport({ folder, server: cluster.url }),
    namespace: 'acme',
    instance: 'operator-0',
    startWithinMs: 1,
    log: (line) => failures.push(line),
  });
  try {
    await eventually('it is refused', async () => failures.some((line) => /403|forbidden/i.test(line)));
    await done(
      'create rolebinding reporter -n acme --clusterrole=slipway:feature-reporter --serviceaccount=acme:operator',
    );
    await eventually('it reports', async () => (await done('get featureuses -n acme')).includes('operator-0'), 60_000);
  } finally {
    await reporting.stop();
  }
  expect(await refused('get secrets -n acme --as system:serviceaccount:acme:operator')).toContain('Forbidden');
});

test('the pages about the server are for those who may read them', async () => {
  expect(await refused('get --raw /metrics --as jane')).toContain('cannot get path "/metrics"');
  await done('create clusterrolebinding prometheus --clusterrole=system:monitoring --user=prometheus');
  const page = await done('get --raw /metrics --as prometheus');
  expect(page).toMatch(/apiserver_request_total\{code="403",.*resource="pods".*verb="LIST"/);
  expect(page).toMatch(/apiserver_storage_objects\{resource="clusterroles\.rbac\.authorization\.k8s\.io"\} \d+/);
  expect(page).toMatch(/kubernetes_feature_enabled\{name="MaxUnavailableStatefulSet",stage="BETA"\} 1/);
  const keys = JSON.parse(await done('get --raw /openid/v1/jwks --as system:serviceaccount:default:default'));
  expect(keys.keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256' });
});

/** A kubeconfig of this cluster with a token and nothing else to sign in by. */
async function tokenKubeconfig(name: string, token: string): Promise<string> {
  const { clusters } = JSON.parse(await done('config view --raw --minify -o json'));
  const path = join(cluster.dataDir, `${name}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: clusters[0].name, user: name } }],
    'current-context': name,
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

function roles(rules: readonly object[]): string {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r', namespace: 'default' },
    rules,
  };
  return JSON.stringify(role);
}
