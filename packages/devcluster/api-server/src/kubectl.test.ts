import { aServer } from '@slipway/devcluster/testing/a-server';
import { type Kubectl, kubectlFor } from '@slipway/devcluster/testing/kubectl-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../../../tools/real-parts.js';

let kubectl: Kubectl | undefined;

beforeAll(async () => {
  if (hasPart('kubectl')) kubectl = await kubectlFor((await aServer()).api);
});

beforeEach((context) => needs(context, 'kubectl'));

afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
});

/** What a command printed, both streams, and how it ended. */
async function printed(line: string, input: string): Promise<string> {
  const run = await kubectl?.run(line.split(' '), input);
  return `${run?.stdout}${run?.stderr}${run?.exit ? `exit ${run.exit}` : ''}`.trim();
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
  ['apply --server-side -f -', manifest('two'), /^statefulset.apps\/db serverside-applied$/],
  ['explain sts.spec.updateStrategy', '', /FIELD: updateStrategy <StatefulSetUpdateStrategy>/],
  ['explain sts.spec.updateStrategy --output=plaintext-openapiv2', '', /RESOURCE: updateStrategy <Object>/],
  ['describe sts db', '', /Name: +db[\s\S]*Image: +two/],
  ['api-resources', '', /statefulsets +sts +apps\/v1 +true +StatefulSet/],
  ['get nosuch', '', /the server doesn't have a resource type "nosuch"/],
  ['get pods nosuch', '', /Error from server \(NotFound\): pods "nosuch" not found/],
  ['delete cm c', '', /^configmap "c" deleted/],
  ['wait --for=delete cm/c --timeout=5s', '', /^$/],
  ['get --raw /readyz?verbose', '', /readyz check passed$/],
];

test('kubectl gets what it needs, from create to delete', { timeout: 60_000 }, async () => {
  for (const [line, input, pattern] of story) expect(await printed(line, input), line).toMatch(pattern);
});
