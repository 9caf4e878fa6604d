import { fill, type HostileInput, many, mebibyte } from './input.js';

const core = '/api/v1/namespaces/default';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** An object that goes again once it was measured. */
function made(what: string, path: string, object: string): HostileInput {
  const name = what.replace(/[^a-z0-9]+/gi, '-').toLowerCase();
  const gone: HostileInput = { what: 'gone', method: 'DELETE', path: `${path}/${name}?gracePeriodSeconds=0` };
  return { what, path, body: `{"metadata":{"name":"${name}"},${object}}`, after: [gone] };
}

const template = (more: string) =>
  `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"${more}}]}}`;
const selector = '"selector":{"matchLabels":{"a":"b"}}';
const variables = many(12_000, (index) => `{"name":"A${index}","value":"${'v'.repeat(40)}"}`);

/** Objects of kinds that controllers act on, or that have much to be checked. */
export const hostileKinds: readonly HostileInput[] = [
  made('a secret of 1 MiB in one value', `${core}/secrets`, `"data":{"a":"${fill('AAAA', mebibyte)}"}`),
  made('a secret whose 1 MiB is not base64', `${core}/secrets`, `"data":{"a":"${fill('AAAA', mebibyte)}%"}`),
  made(
    'a secret of 40,000 texts',
    `${core}/secrets`,
    `"stringData":{${many(40_000, (index) => `"k${index}":"value"`)}}`,
  ),
  made(
    'a service of 20,000 ports',
    `${core}/services`,
    `"spec":{"ports":[${many(20_000, (index) => `{"name":"p${index}","port":${index + 1}}`)}]}`,
  ),
  made('30,000 ports that are one port', `${core}/services`, `"spec":{"ports":[${many(30_000, () => '{"port":80}')}]}`),
  made(
    'a container of 30,000 ports',
    `${core}/pods`,
    `"spec":{"containers":[{"name":"c","image":"i","ports":[${many(30_000, (index) => `{"containerPort":${index + 1},"hostPort":${index + 1}}`)}]}]}`,
  ),
  made(
    'a pod of 8,000 containers',
    `${core}/pods`,
    `"spec":{"containers":[${many(8_000, (index) => `{"name":"c${index}","image":"i","resources":{"requests":{"cpu":"1m"}}}`)}]}`,
  ),
  made(
    'a pod of 12,000 volumes that it mounts',
    `${core}/pods`,
    `"spec":{"volumes":[${many(12_000, (index) => `{"name":"v${index}","emptyDir":{}}`)}],"containers":[{"name":"c","image":"i","volumeMounts":[${many(12_000, (index) => `{"name":"v${index}","mountPath":"/${index}"}`)}]}]}`,
  ),
  made(
    'a pod of 25,000 arguments',
    `${core}/pods`,
    `"spec":{"containers":[{"name":"c","image":"i","args":[${many(25_000, (index) => `"$(A)${index}"`)}]}]}`,
  ),
  made(
    'a deployment of 12,000 variables',
    '/apis/apps/v1/namespaces/default/deployments',
    `"spec":{"replicas":1,${selector},${template(`,"env":[${variables}]`)}}`,
  ),
  made(
    'a daemon set of 12,000 variables',
    '/apis/apps/v1/namespaces/default/daemonsets',
    `"spec":{${selector},${template(`,"env":[${variables}]`)}}`,
  ),
  made(
    'a binding of 25,000 subjects',
    `${rbac}/clusterrolebindings`,
    `"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[${many(25_000, (index) => `{"kind":"User","name":"u${index}","apiGroup":"rbac.authorization.k8s.io"}`)}]`,
  ),
  made(
    'a role of 20,000 rules',
    `${rbac}/clusterroles`,
    `"rules":[${many(20_000, (index) => `{"verbs":["get"],"apiGroups":[""],"resources":["r${index}"]}`)}]`,
  ),
  made(
    'a network policy of 20,000 blocks',
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    `"spec":{"podSelector":{},"ingress":[{"from":[${many(20_000, (index) => `{"ipBlock":{"cidr":"10.${index % 250}.0.0/16"}}`)}]}]}`,
  ),
  made(
    'an ingress of 15,000 rules',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    `"spec":{"rules":[${many(15_000, (index) => `{"host":"h${index}.example.dev"}`)}]}`,
  ),
  made(
    'slices of 30,000 endpoints',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    `"addressType":"IPv4","endpoints":[${many(30_000, () => '{"addresses":["10.0.0.1"]}')}]`,
  ),
  made(
    'a node of 30,000 taints',
    '/api/v1/nodes',
    `"spec":{"taints":[${many(30_000, (index) => `{"key":"k${index}","effect":"NoSchedule"}`)}]}`,
  ),
  made(
    'a quota of 30,000 amounts',
    `${core}/resourcequotas`,
    `"spec":{"hard":{${many(30_000, (index) => `"count/r${index}.example.dev":"1"`)}}}`,
  ),
  made(
    'a policy of 3,000 validations',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    `"spec":{"failurePolicy":"Ignore","matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["nodes"]}]},"validations":[${many(3_000, (index) => `{"expression":"object.metadata.name != 'x${index}'"}`)}]}`,
  ),
  made(
    'a policy with a pattern of 100 KB',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    `"spec":{"failurePolicy":"Ignore","matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["nodes"]}]},"validations":[{"expression":"object.metadata.name.matches('${fill('(a|b)?', 100_000)}')"}]}`,
  ),
  made(
    'a policy with a text of 1 MiB',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    `"spec":{"failurePolicy":"Ignore","matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["nodes"]}]},"validations":[{"expression":"object.metadata.name != '${'a'.repeat(mebibyte)}'"}]}`,
  ),
  made(
    'a webhook configuration of 8,000 webhooks',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    `"webhooks":[${many(8_000, (index) => `{"name":"w${index}.example.dev","clientConfig":{"url":"https://127.0.0.1:1/"},"failurePolicy":"Ignore","rules":[{"apiGroups":["none.dev"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["none"]}],"sideEffects":"None","admissionReviewVersions":["v1"]}`)}]`,
  ),
];
