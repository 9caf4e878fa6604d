import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { issueCertificates } from '../cluster/issue-certificates.js';
import { aServer } from './testing/a-server.js';
import { type HttpsBinding, serveHttps } from './transport/https-server.js';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
let home = '';
let binding: HttpsBinding | undefined;

beforeAll(async () => {
  if (!hasKubectl) return;
  home = mkdtempSync(join(tmpdir(), 'slipway-kubectl-'));
  const wanted = { ca: undefined, serving: undefined, admin: undefined, names: ['127.0.0.1'], nowMs: Date.now() };
  const { ca, serving, admin } = await issueCertificates(wanted);
  const { api } = await aServer();
  binding = await serveHttps(api, {
    certificate: serving.certificate,
    key: serving.key,
    clientAuthority: ca.certificate,
  });
  const inline = (pem: string) => Buffer.from(pem).toString('base64');
  const cluster = { server: `https://127.0.0.1:${binding.port}`, 'certificate-authority-data': inline(ca.certificate) };
  const user = { 'client-certificate-data': inline(admin.certificate), 'client-key-data': inline(admin.key) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(join(home, 'config'), JSON.stringify(config));
});

beforeEach((ctx) => {
  if (hasKubectl) return;
  if (process.env.SLIPWAY_REQUIRE_REAL === '1') throw new Error('kubectl is required and not there');
  ctx.skip('needs kubectl');
});

afterAll(async () => {
  await binding?.close(0);
  if (home !== '') rmSync(home, { recursive: true, force: true });
});

/** What a command printed, both streams, and how it ended. */
function kubectl(line: string, input = ''): Promise<string> {
  const env = { ...process.env, HOME: home, KUBECONFIG: join(home, 'config') };
  return new Promise((resolve) => {
    const child = execFile('kubectl', line.split(' '), { env, timeout: 20_000 }, (error, stdout, stderr) => {
      resolve(`${stdout}${stderr}${error ? `exit ${error.code}` : ''}`.trim());
    });
    child.stdin?.end(input);
  });
}

const manifest = (image: string, extra = '') => `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: main, image: "${image}", env: [{name: A, value: "1"}${extra}]}]
`;

// command | input | what it prints, as a pattern
const story: [string, string, RegExp][] = [
  ['create configmap c --from-literal=a=b', '', /^configmap\/c created$/],
  ['create configmap c --from-literal=a=b', '', /configmaps "c" already exists/],
  ['create deployment web --image=nginx --replicas=0', '', /^deployment.apps\/web created$/],
  ['get deployment web -o jsonpath={.spec.replicas}', '', /^0$/],
  ['get deploy,cm', '', /deployment.apps\/web +0\/0 [\s\S]*configmap\/c +1 /],
  [
    'get deploy -o wide',
    '',
    /NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\nweb .* nginx +nginx +app=web/,
  ],
  ['scale deploy web --replicas=3', '', /^deployment.apps\/web scaled$/],
  ['label cm c x=y', '', /^configmap\/c labeled$/],
  ['annotate cm c x=y', '', /^configmap\/c annotated$/],
  ['set image deploy/web nginx=nginx:2', '', /^deployment.apps\/web image updated$/],
  ['apply -f -', manifest('one', ', {name: B, value: "2"}'), /^statefulset.apps\/db created$/],
  ['diff -f -', manifest('two'), /- {2,}- image: one|image: one[\s\S]*exit 1$/],
  ['apply -f -', manifest('two'), /^statefulset.apps\/db configured$/],
  ['get sts db -o jsonpath={.spec.template.spec.containers[0].env[*].name}', '', /^A$/],
  ['apply -f - --dry-run=server', manifest('three'), /^statefulset.apps\/db configured \(server dry run\)$/],
  ['apply -f -', manifest('two').replace('serviceName', 'serviceNam'), /unknown field "spec.serviceNam"/],
  ['apply --server-side -f -', manifest('two'), /server-side apply is not implemented by this server/],
  ['explain sts.spec.updateStrategy', '', /FIELD: updateStrategy <StatefulSetUpdateStrategy>/],
  ['describe sts db', '', /Name: +db[\s\S]*Image: +two/],
  ['api-resources', '', /statefulsets +sts +apps\/v1 +true +StatefulSet/],
  ['get nosuch', '', /the server doesn't have a resource type "nosuch"/],
  ['get pods nosuch', '', /Error from server \(NotFound\): pods "nosuch" not found/],
  ['delete cm c', '', /^configmap "c" deleted/],
  ['wait --for=delete cm/c --timeout=5s', '', /^$/],
  ['get --raw /readyz?verbose', '', /readyz check passed$/],
];

test('kubectl gets what it needs, from create to delete', { timeout: 60_000 }, async () => {
  for (const [line, input, printed] of story) expect(await kubectl(line, input), line).toMatch(printed);
});
