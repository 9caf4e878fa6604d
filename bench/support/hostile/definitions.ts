import { fill, type HostileInput, many } from './input.js';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

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
const version = (name: string, isStored: boolean, properties: string) =>
  `{"name":"${name}","served":true,"storage":${isStored},"schema":{"openAPIV3Schema":{"type":"object","properties":{${properties}}}}}`;
/** A definition of these versions, in JSON. */
function versions(what: string, list: string, shortNames = 0): HostileInput {
  const plural = `bombs${++made}`;
  const names = `"plural":"${plural}","kind":"Bomb${made}","shortNames":[${many(shortNames, (index) => `"s${index}"`)}]`;
  return {
    what,
    path: definitions,
    body:
      `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"${plural}.bench.dev"},` +
      `"spec":{"group":"bench.dev","scope":"Namespaced","names":{${names}},"versions":[${list}]}}`,
  };
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

/** Definitions with their objects, expressions and patterns. */
export const hostileDefinitions: readonly HostileInput[] = [
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
  versions(
    'a definition of 500 versions',
    many(500, (index) =>
      version(
        `v${index + 1}`,
        index === 0,
        many(60, (at) => `"f${at}":{"type":"string"}`),
      ),
    ),
  ),
  versions(
    'a definition of 20,000 columns',
    version('v1', true, '"a":{"type":"string"}').replace(
      /}$/,
      `,"additionalPrinterColumns":[${many(20_000, (index) => `{"name":"c${index}","type":"string","jsonPath":".spec.a[?(@.b==${index})].c"}`)}]}`,
    ),
  ),
  versions('a definition of 60,000 short names', version('v1', true, '"a":{"type":"string"}'), 60_000),
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
    '90,000 values to be filled in',
    '"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string","default":"a default"},"c":{"type":"object","default":{},"properties":{"d":{"type":"integer","default":1}}}}}}',
    `{"a":[${many(90_000, () => '{}')}]}`,
  ),
  instanceOf(
    '90,000 values that are wrong',
    '"a":{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"}}',
    `{"a":[${many(90_000, () => '1')}]}`,
  ),
  instanceOf('90,000 fields to be dropped', '"a":{"type":"string"}', `{${many(90_000, (index) => `"k${index}":"v"`)}}`),
  instanceOf(
    '90,000 elements of a set',
    '"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}',
    `{"a":[${many(90_000, (index) => `"v${index}"`)}]}`,
  ),
  instanceOf(
    '50,000 elements of a map with keys',
    '"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}',
    `{"a":[${many(50_000, (index) => `{"k":"v${index}"}`)}]}`,
  ),
  instanceOf(
    'a text of 1.4 MB that a rule matches',
    '"a":{"type":"string","maxLength":3000000,"x-kubernetes-validations":[{"rule":"!self.matches(\'(a|aa)+b$\')"}]}',
    `{"a":"${'a'.repeat(1_400_000)}"}`,
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
];
