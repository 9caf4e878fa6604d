/** A request that nobody means well with. */
export interface HostileInput {
  readonly what: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Requests that make what this one is about, sent before it is measured. */
  readonly before?: readonly HostileInput[];
}

const mebibyte = 1_048_576;
/** Just below what a body may have. */
const most = 3 * mebibyte - 4_096;

const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const body = (type: string) => ({ 'content-type': type });
const yaml = body('application/yaml');
const protobuf = body('application/vnd.kubernetes.protobuf');
const mergePatch = body('application/merge-patch+json');
const jsonPatch = body('application/json-patch+json');
const strategicPatch = body('application/strategic-merge-patch+json');
const applyPatch = body('application/apply-patch+yaml');

const many = (count: number, make: (index: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);
/** As often as it fits into so many bytes. */
const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const configMap = (more: string, name = 'x') =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}${more}}`;
const withMetadata = (more: string, name = 'x') =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}",${more}}}`;
const target: HostileInput = { what: 'target', body: configMap(',"data":{"a":"b"}', 'target') };
const patchOf = (headers: HostileInput['headers'], text: string): Omit<HostileInput, 'what'> => ({
  method: 'PATCH',
  path: `${configMaps}/target`,
  headers: headers ?? {},
  body: text,
  before: [target],
});
const applied = (what: string, text: string): HostileInput => ({
  what,
  method: 'PATCH',
  path: `${configMaps}/applied?fieldManager=bench`,
  headers: applyPatch,
  body: text,
});

let made = 0;
/** A definition whose spec has these properties, in JSON; each has a name of its own. */
function definition(properties: string, more = ''): string {
  const plural = `bombs${++made}`;
  const schema = `{"type":"object","properties":{"spec":{"type":"object","properties":{${properties}}${more}}}}`;
  const version = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}`;
  return (
    `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"${plural}.bench.dev"},` +
    `"spec":{"group":"bench.dev","scope":"Namespaced","names":{"plural":"${plural}","kind":"Bomb${made}"},"versions":[${version}]}}`
  );
}
const ruled = (rule: string, more = '') =>
  `{"type":"string","maxLength":100${more},"x-kubernetes-validations":[{"rule":${JSON.stringify(rule)}}]}`;
const aDefinition = (what: string, properties: string, more = ''): HostileInput => ({
  what,
  path: definitions,
  body: definition(properties, more),
});
/** An object of a definition that is made before. */
function instanceOf(what: string, properties: string, spec: string): HostileInput {
  const first = aDefinition('definition', properties);
  const kind = `{"apiVersion":"bench.dev/v1","kind":"Bomb${made}","metadata":{"name":"x"},"spec":${spec}}`;
  return { what, path: `/apis/bench.dev/v1/namespaces/default/bombs${made}`, body: kind, before: [first] };
}
const aPolicy = (what: string, expression: string): HostileInput => ({
  what,
  path: policies,
  body: JSON.stringify({
    metadata: { name: `p${++made}` },
    spec: {
      failurePolicy: 'Ignore',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nodes'] }],
      },
      validations: [{ expression }],
    },
  }),
});

const envelope = Buffer.concat([
  Buffer.from('k8s\0'),
  // typeMeta { apiVersion: "v1", kind: "ConfigMap" }
  Buffer.from([0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09]),
  Buffer.from('ConfigMap'),
]);
const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]);
const field = (number: number, content: Uint8Array) =>
  Buffer.concat([Buffer.from(varint((number << 3) | 2)), Buffer.from(varint(content.length)), content]);
/** Fields that no message has, nested or flat. */
const unknownFields = Buffer.alloc(most - 100, Buffer.from([0xf8, 0x07, 0x01]));

const fieldsOf = (count: number) => `{"f:data":{${many(count, (index) => `"f:k${index}":{}`)}}}`;
const managed = (manager: string, fields: string) =>
  `{"manager":"${manager}","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":${fields}}`;
const owner = (index: number) => `{"apiVersion":"v1","kind":"A","name":"o","uid":"${String(index).padStart(8, '0')}"}`;

/** Aliases of aliases: what they stand for is nine times as long with each level. */
function growingAliases(): string {
  const level = (index: number) => `a${index}: &a${index} [${many(9, () => (index === 0 ? 'x' : `*a${index - 1}`))}]`;
  return many(9, level, '\n');
}

/** Whether patterns and policies, lists and owners: everything a body, an address or a header can be made of. */
export const hostileInputs: readonly HostileInput[] = [
  { what: 'an ordinary config map', body: configMap('') },
  // JSON
  { what: '30,000 lists in each other', body: configMap(`,"data":${'['.repeat(30_000)}${']'.repeat(30_000)}`) },
  { what: '3 MiB of {"a":', body: fill('{"a":', most) },
  { what: '3 MiB of [', body: '['.repeat(most) },
  { what: '3 MiB of 1,', body: `[${fill('1,', most)}1]` },
  { what: '3 MiB of one key given again and again', body: `{${fill('"a":1,', most)}"a":1}` },
  { what: '3 MiB of keys', body: configMap(`,"data":{${many(190_000, (index) => `"k${index}":"v"`)}}`) },
  {
    what: '3 MiB of unknown fields, strictly',
    path: `${configMaps}?fieldValidation=Strict`,
    body: configMap(`,${many(200_000, (index) => `"k${index}":"v"`)}`),
  },
  { what: '3 MiB of escapes', body: configMap(`,"data":{"a":"${fill('\\u0041', most - 200)}"}`) },
  { what: '3 MiB of lone surrogates', body: configMap(`,"data":{"a":"${fill('\\ud800', most - 200)}"}`) },
  { what: '3 MiB of one number', body: `{"a":${'9'.repeat(most)}}` },
  { what: '3 MiB of blanks', body: `${' '.repeat(most)}{` },
  { what: '__proto__ as a key', body: configMap(',"__proto__":{"polluted":true}') },
  { what: 'bytes that are no UTF-8, 3 MiB', body: Buffer.alloc(most, 0xc3) },
  { what: 'a body of 4 MiB', body: 'x'.repeat(4 * mebibyte) },
  // YAML
  { what: 'YAML: aliases that grow', headers: yaml, body: growingAliases() },
  { what: 'YAML: 30,000 lists in each other', headers: yaml, body: '['.repeat(30_000) },
  { what: 'YAML: 30,000 dashes in each other', headers: yaml, body: '- '.repeat(30_000) },
  { what: 'YAML: 3 MiB of flow list', headers: yaml, body: `a: [${fill('1,', most - 100)}1]` },
  { what: 'YAML: 3 MiB of keys', headers: yaml, body: many(230_000, (index) => `k${index}: v`, '\n') },
  { what: 'YAML: 3 MiB of comments', headers: yaml, body: fill('#\n', most) },
  { what: 'YAML: 3 MiB of anchors', headers: yaml, body: many(150_000, (index) => `k${index}: &a${index} v`, '\n') },
  { what: 'YAML: 3 MiB in one block text', headers: yaml, body: `a: |\n${fill('  x\n', most - 100)}` },
  { what: 'YAML: 3 MiB of quotes', headers: yaml, body: `a: "${fill('\\x41', most - 100)}"` },
  { what: 'YAML: 3 MiB of merge keys', headers: yaml, body: `a: &a {b: 1}\n${many(170_000, () => '<<: *a', '\n')}` },
  { what: 'YAML: 3 MiB of one line that nothing ends', headers: yaml, body: `a: ${'b '.repeat(1_500_000)}` },
  { what: 'YAML: 3 MiB of documents', headers: yaml, body: fill('---\n', most) },
  // Protobuf
  { what: 'protobuf: noise', headers: protobuf, body: Buffer.alloc(most, 0xff) },
  {
    what: 'protobuf: a length of 2 GiB',
    headers: protobuf,
    body: Buffer.concat([envelope, Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x07, 0x0a, 0x01])]),
  },
  {
    what: 'protobuf: 3 MiB of unknown fields',
    headers: protobuf,
    body: Buffer.concat([envelope, field(2, unknownFields)]),
  },
  {
    what: 'protobuf: 1.5 million empty map entries',
    headers: protobuf,
    body: Buffer.concat([envelope, field(2, Buffer.alloc(most - 100, Buffer.from([0x12, 0x00])))]),
  },
  // Patches
  {
    what: '10,001 operations of a JSON patch',
    ...patchOf(jsonPatch, `[${many(10_001, () => '{"op":"test","path":"/kind","value":"ConfigMap"}')}]`),
  },
  {
    what: '10,000 copies that double',
    ...patchOf(
      jsonPatch,
      `[{"op":"add","path":"/data/a","value":"aaaaaaaa"},${many(9_999, (index) => `{"op":"copy","from":"/data","path":"/data/k${index}"}`)}]`,
    ),
  },
  {
    what: '10,000 insertions at the front of a list',
    ...patchOf(
      jsonPatch,
      `[{"op":"add","path":"/metadata/finalizers","value":[]},${many(9_999, (index) => `{"op":"add","path":"/metadata/finalizers/0","value":"a.b/f${index}"}`)}]`,
    ),
  },
  {
    what: 'a JSON patch with a path of 3 MiB',
    ...patchOf(jsonPatch, `[{"op":"remove","path":"${fill('/a', most - 100)}"}]`),
  },
  {
    what: 'a merge patch of 190,000 keys',
    ...patchOf(mergePatch, `{"data":{${many(190_000, (index) => `"k${index}":"v"`)}}}`),
  },
  {
    what: 'a merge patch 9,000 deep',
    ...patchOf(mergePatch, `{"data":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`),
  },
  {
    what: 'a strategic patch of 30,000 owners',
    ...patchOf(strategicPatch, `{"metadata":{"ownerReferences":[${many(30_000, owner)}]}}`),
  },
  {
    what: 'a strategic patch that orders 100,000 finalizers',
    ...patchOf(
      strategicPatch,
      `{"metadata":{"$setElementOrder/finalizers":[${many(100_000, (index) => `"a.b/f${index}"`)}],"finalizers":[${many(50_000, (index) => `"a.b/f${index}"`)}]}}`,
    ),
  },
  // Apply and field managers
  applied(
    'an apply of 100,000 fields',
    configMap(`,"data":{${many(100_000, (index) => `"k${index}":"v"`)}}`, 'applied'),
  ),
  applied(
    'the same in YAML',
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n${many(100_000, (index) => `  k${index}: v`, '\n')}`,
  ),
  {
    what: 'managedFields of 3 MiB in one entry',
    body: withMetadata(`"managedFields":[${managed('m', fieldsOf(200_000))}]`, 'managed1'),
  },
  {
    what: 'managedFields of 15,000 managers',
    body: withMetadata(
      `"managedFields":[${many(15_000, (index) => managed(`m${index}`, '{"f:data":{}}'))}]`,
      'managed2',
    ),
  },
  {
    what: 'managedFields 5,000 deep',
    body: withMetadata(
      `"managedFields":[${managed('m', `${'{"f:a":'.repeat(5_000)}{}${'}'.repeat(5_000)}`)}]`,
      'managed3',
    ),
  },
  // Metadata
  { what: '35,000 owner references', body: withMetadata(`"ownerReferences":[${many(35_000, owner)}]`) },
  { what: '100,000 labels', body: withMetadata(`"labels":{${many(100_000, (index) => `"k${index}":"v"`)}}`) },
  { what: '100,000 wrong labels', body: withMetadata(`"labels":{${many(100_000, (index) => `"-k${index}":"v v"`)}}`) },
  { what: '100,000 annotations', body: withMetadata(`"annotations":{${many(100_000, (index) => `"k${index}":"v"`)}}`) },
  { what: '200,000 finalizers', body: withMetadata(`"finalizers":[${many(200_000, (index) => `"f${index}"`)}]`) },
  { what: 'a name of 3 MiB', body: withMetadata(`"x":1`, 'a'.repeat(most - 200)) },
  // Kinds
  {
    what: '200,000 rules without verbs',
    path: clusterRoles,
    body: `{"metadata":{"name":"x"},"rules":[${many(200_000, () => '{}')}]}`,
  },
  {
    what: '100,000 containers',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[${many(100_000, () => '{"name":"c","image":"i"}')}]}}`,
  },
  {
    what: '100,000 variables of a container',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i","env":[${many(100_000, (index) => `{"name":"A${index}","value":""}`)}]}]}}`,
  },
  {
    what: '100,000 tolerations',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[${many(60_000, (index) => `{"key":"k${index}","operator":"Exists"}`)}]}}`,
  },
  {
    what: 'a pod with affinity for 40,000 labels',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[${many(40_000, (index) => `{"matchExpressions":[{"key":"k${index}","operator":"Exists"}]}`)}]}}}}}`,
  },
  {
    what: 'a selector of 1 MiB',
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: `{"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{${many(60_000, (index) => `"k${index}":"v"`)}}},"template":{"metadata":{"labels":{${many(60_000, (index) => `"k${index}":"v"`)}}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
  },
  {
    what: 'a quantity of 1 MiB',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"${'9'.repeat(mebibyte)}"}}}]}}`,
  },
  {
    what: 'a quantity with an exponent of a billion',
    path: pods,
    body: '{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1e1000000000"}}}]}}',
  },
  {
    what: 'a cron schedule of 1 MiB',
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    body: `{"metadata":{"name":"x"},"spec":{"schedule":"${fill('1,', mebibyte)}1 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}`,
  },
  {
    what: 'a config map of 1.4 MiB, then read as a table',
    method: 'GET',
    path: configMaps,
    headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    before: [{ what: 'big', body: configMap(`,"data":{${many(90_000, (index) => `"k${index}":"v"`)}}`, 'big') }],
  },
  // Addresses and headers
  { what: 'an address of 60 KB', method: 'GET', path: `/${'a'.repeat(60_000)}` },
  { what: 'an address of 60 KB of slashes', method: 'GET', path: '/'.repeat(60_000) },
  { what: 'an address of 70 KB', method: 'GET', path: `/${'a'.repeat(70_000)}` },
  { what: 'a header of 70 KB', method: 'GET', path: configMaps, headers: { 'x-flood': 'a'.repeat(70_000) } },
  {
    what: '2,000 headers',
    method: 'GET',
    path: configMaps,
    headers: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x-${index}`, 'a'])),
  },
  {
    what: 'a label selector of 60 KB',
    method: 'GET',
    path: `${configMaps}?labelSelector=${many(6_000, (index) => `k${index}!=v`)}`,
  },
  {
    what: 'a set of 60 KB in a label selector',
    method: 'GET',
    path: `${configMaps}?labelSelector=a+in+(${many(12_000, (index) => `v${index % 999}`)})`,
  },
  {
    what: 'brackets of 60 KB as a label selector',
    method: 'GET',
    path: `${configMaps}?labelSelector=${'('.repeat(60_000)}`,
  },
  {
    what: 'a field selector of 60 KB',
    method: 'GET',
    path: `${configMaps}?fieldSelector=${many(3_000, () => 'metadata.name=x')}`,
  },
  { what: 'a continue token of 60 KB', method: 'GET', path: `${configMaps}?continue=${'A'.repeat(60_000)}` },
  { what: '20,000 parameters', method: 'GET', path: `${configMaps}?${'a&'.repeat(20_000)}limit=x` },
  { what: '60 KB of media types', method: 'GET', path: configMaps, headers: { accept: fill('a/b;q=0.1,', 60_000) } },
  {
    what: '60 KB of impersonated extra',
    method: 'GET',
    path: configMaps,
    headers: { 'impersonate-user': 'jane', 'impersonate-extra-a': '%'.repeat(60_000) },
  },
  // Definitions, expressions, patterns
  aDefinition(
    'a definition of 600 KB',
    many(8_000, (index) => `"field${index}":{"type":"string","description":"one of many","maxLength":9}`),
  ),
  aDefinition(
    'a definition of 1.4 MB',
    many(30_000, (index) => `"field${index}":{"type":"string","maxLength":9}`),
  ),
  aDefinition(
    'a definition of 50,000 fields, of which none is right',
    many(50_000, (index) => `"field${index}":{"type":"strong"}`),
  ),
  aDefinition(
    'a definition with 3,000 rules',
    many(3_000, (index) => `"f${index}":${ruled(`self.size() > ${index} || self.contains('x${index}')`)}`),
  ),
  aDefinition(
    'a definition with 3,000 rules that do not compile',
    many(3_000, (index) => `"f${index}":${ruled(`self.nothing(${index}) > `)}`),
  ),
  aDefinition(
    'a definition with 3,000 patterns',
    many(3_000, (index) => `"f${index}":{"type":"string","pattern":"^(a|b|c${index})+[x-z]{1,5}$"}`),
  ),
  aDefinition(
    'a definition with 3,000 defaults',
    many(
      3_000,
      (index) => `"f${index}":{"type":"object","default":{"a":"${index}"},"properties":{"a":{"type":"string"}}}`,
    ),
  ),
  aDefinition(
    'a definition 500 deep',
    `${many(500, (index) => `"f${index}":{"type":"object","properties":{`, '')}${'}}'.repeat(500)}`,
  ),
  aDefinition('an enum of 100,000', `"a":{"type":"string","enum":[${many(100_000, (index) => `"v${index}"`)}]}`),
  aDefinition('a rule of 600 KB', `"a":${ruled(many(20_000, (index) => `self != 'x${index}'`, ' && '))}`),
  aDefinition('a rule of 10,000 brackets', `"a":${ruled(`${'('.repeat(10_000)}true${')'.repeat(10_000)}`)}`),
  aDefinition('a rule of 100,000 bangs', `"a":${ruled(`${'!'.repeat(100_000)}true`)}`),
  aDefinition('a rule of lists in lists', `"a":${ruled(`${'['.repeat(200)}1${']'.repeat(200)}.size() > 0`)}`),
  aDefinition(
    'a rule that loops in loops',
    `"a":{"type":"array","maxItems":100000,"items":{"type":"integer"},"x-kubernetes-validations":[{"rule":"self.all(a, self.all(b, self.all(c, a + b > c)))"}]}`,
  ),
  aDefinition('a pattern that backtracks elsewhere', '"a":{"type":"string","pattern":"^(a+)+(a+)+(a+)+$"}'),
  aDefinition(
    'a pattern that counts to 1,000 of 1,000',
    '"a":{"type":"string","pattern":"^((a{1,1000}){1,1000}){1,1000}$"}',
  ),
  aDefinition('a pattern of 100 KB', `"a":{"type":"string","pattern":"${fill('(a|b)?', 100_000)}"}`),
  instanceOf(
    'a text of 1.4 MB for (a+)+$',
    '"a":{"type":"string","pattern":"^(a+)+$"}',
    `{"a":"${'a'.repeat(1_400_000)}!"}`,
  ),
  instanceOf(
    'a text of 1.4 MB for nested repeats',
    '"a":{"type":"string","pattern":"^((a?){20}b?){30}$"}',
    `{"a":"${'a'.repeat(1_400_000)}!"}`,
  ),
  instanceOf(
    '100,000 elements for a rule that loops in loops',
    '"a":{"type":"array","maxItems":100,"items":{"type":"integer"},"x-kubernetes-validations":[{"rule":"self.all(a, self.all(b, a <= b + 100000))"}]}',
    `{"a":[${many(100, (index) => String(index))}]}`,
  ),
  instanceOf(
    '200,000 elements of a set',
    '"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}',
    `{"a":[${many(200_000, (index) => `"v${index}"`)}]}`,
  ),
  instanceOf(
    '60,000 elements of a map with keys',
    '"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}',
    `{"a":[${many(100_000, (index) => `{"k":"v${index}"}`)}]}`,
  ),
  instanceOf(
    '100,000 values that are wrong',
    '"a":{"type":"array","items":{"type":"string"}}',
    `{"a":[${many(500_000, () => '1')}]}`,
  ),
  instanceOf(
    '100,000 fields to be dropped',
    '"a":{"type":"string"}',
    `{${many(150_000, (index) => `"k${index}":"v"`)}}`,
  ),
  instanceOf(
    '100,000 defaults to be filled in',
    '"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string","default":"a default"}}}}',
    `{"a":[${many(500_000, () => '{}')}]}`,
  ),
  instanceOf(
    'an object 9,000 deep',
    '"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true}',
    `{"a":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`,
  ),
  aPolicy(
    'a policy of 600 KB',
    many(20_000, (index) => `object != 'x${index}'`, ' && '),
  ),
  aPolicy('a policy of 10,000 brackets', `${'('.repeat(10_000)}true${')'.repeat(10_000)}`),
  aPolicy('a policy of 500 maps in each other', `${'{"a":'.repeat(500)}1${'}'.repeat(500)} != null`),
  {
    what: 'a CEL selector that nobody asked for in a review',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: `{"spec":{"user":"jane","groups":[${many(200_000, (index) => `"g${index}"`)}],"resourceAttributes":{"verb":"get","resource":"pods"}}}`,
  },
  {
    what: 'a token of 1 MiB to be reviewed',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: `{"spec":{"token":"${fill('a.', mebibyte)}"}}`,
  },
  {
    what: 'a bearer token of 60 KB',
    method: 'GET',
    path: configMaps,
    headers: { authorization: `Bearer ${fill('a.', 60_000)}` },
  },
];
