import { body, configMap, configMaps, type HostileInput, many, withMetadata } from './input.js';

const policies = '/apis/admissionregistration.k8s.io/v1';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const tables = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const keys = (count: number) => many(count, (index) => `"k${index}":"v"`);
const large = configMap(`,"data":{${keys(85_000)}}`, 'large');
const made = (input: Partial<HostileInput> & { readonly body: string }): HostileInput => ({ what: 'made', ...input });
const deleted = (path: string): HostileInput => ({ what: 'deleted', method: 'DELETE', path });
const noLarge = deleted(`${configMaps}/large`);
const noX = deleted(`${configMaps}/x`);

/** Writes of objects that hold nearly as much as is accepted, in every form and by every verb. */
export const hostileJustBelow: readonly HostileInput[] = [
  { what: '85,000 labels', body: withMetadata(`"labels":{${keys(85_000)}}`), after: [noX] },
  { what: '15,000 annotations', body: withMetadata(`"annotations":{${keys(15_000)}}`), after: [noX] },
  {
    what: '60,000 finalizers',
    body: withMetadata(`"finalizers":[${many(60_000, (index) => `"a.b/f${index}"`)}]`),
    after: [
      {
        what: 'released',
        method: 'PATCH',
        path: `${configMaps}/x`,
        headers: body('application/merge-patch+json'),
        body: '{"metadata":{"finalizers":null}}',
      },
      noX,
    ],
  },
  {
    what: '20,000 owner references, each twice',
    body: withMetadata(
      `"ownerReferences":[${many(20_000, (index) => `{"apiVersion":"v1","kind":"Node","name":"n${index >> 1}","uid":"u"}`)}]`,
    ),
    after: [noX],
  },
  {
    what: 'an update of an object of 85,000 keys',
    method: 'PUT',
    path: `${configMaps}/large`,
    body: large.replace('"v"}', '"w"}'),
    before: [made({ body: large })],
    after: [noLarge],
  },
  {
    what: 'a deletion of an object of 85,000 keys that a finalizer holds',
    method: 'DELETE',
    path: `${configMaps}/large`,
    before: [made({ body: large.replace('"name"', '"finalizers":["a.b/c"],"name"') })],
    after: [
      {
        what: 'released',
        method: 'PATCH',
        path: `${configMaps}/large`,
        headers: body('application/merge-patch+json'),
        body: '{"metadata":{"finalizers":null}}',
      },
    ],
  },
  {
    what: 'a deletion of 8 objects of 85,000 keys',
    method: 'DELETE',
    path: `${configMaps}?labelSelector=of`,
    before: Array.from({ length: 8 }, (_, index) =>
      made({ body: large.replace('"name":"large"', `"name":"large${index}","labels":{"of":"8"}`) }),
    ),
  },
  {
    what: 'a deletion of 2,000 objects',
    method: 'DELETE',
    path: `${configMaps}?labelSelector=of`,
    before: Array.from({ length: 2_000 }, (_, index) =>
      made({ body: withMetadata('"labels":{"of":"2000"}', `small${index}`) }),
    ),
  },
  ...['a list', 'a watch'].map(
    (verb): HostileInput => ({
      what: `${verb} of 8 objects of 85,000 keys, as tables`,
      method: 'GET',
      path: `${configMaps}?labelSelector=of${verb === 'a list' ? '' : '&watch=1&timeoutSeconds=1'}`,
      headers: tables,
      before: Array.from({ length: 8 }, (_, index) =>
        made({ body: large.replace('"name":"large"', `"name":"large${index}","labels":{"of":"8"}`) }),
      ),
      after: [deleted(`${configMaps}?labelSelector=of`)],
    }),
  ),
  {
    what: 'YAML: an object of 85,000 keys',
    headers: body('application/yaml'),
    body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n${many(85_000, (index) => `  k${index}: v`, '\n')}`,
    after: [noX],
  },
  {
    what: 'YAML: an apply of 85,000 keys',
    method: 'PATCH',
    path: `${configMaps}/x?fieldManager=bench`,
    headers: body('application/apply-patch+yaml'),
    body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n${many(85_000, (index) => `  k${index}: v`, '\n')}`,
    after: [noX],
  },
  {
    what: 'an apply of 85,000 keys that another owns',
    method: 'PATCH',
    path: `${configMaps}/large?fieldManager=bench`,
    headers: body('application/apply-patch+yaml'),
    body: large.replaceAll('"v"', '"w"'),
    before: [made({ body: large })],
    after: [noLarge],
  },
  {
    what: 'a scale of a deployment of 12,000 variables',
    method: 'PUT',
    path: `${deployments}/scaled/scale`,
    body: '{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"scaled","namespace":"default"},"spec":{"replicas":0}}',
    before: [
      made({
        path: deployments,
        body: `{"metadata":{"name":"scaled"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","env":[${many(12_000, (index) => `{"name":"A${index}","value":"v"}`)}]}]}}}}`,
      }),
    ],
    after: [deleted(`${deployments}/scaled`)],
  },
  policed('85,000 keys that a policy looks at', 'object.data.all(k, object.data[k].size() < 9)'),
  policed('85,000 keys that a policy looks at in loops', 'object.data.all(k, object.data.all(l, k != l || k == l))'),
  policed('85,000 keys that a policy maps and sorts', 'object.data.map(k, object.data[k] + k).join(",").size() > 0'),
  ...nested(),
  ...['/apis', '/openapi/v2', '/openapi/v3'].map(
    (path, index): HostileInput => ({
      what: `${path} beside 500 definitions`,
      method: 'GET',
      path,
      headers:
        path === '/apis' ? { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' } : {},
      before:
        index === 0 ? Array.from({ length: 500 }, (_, at) => definition(`many${at}`, '"a":{"type":"string"}')) : [],
      after: index === 2 ? [deleted(`${definitions}?labelSelector=of`)] : [],
    }),
  ),
];

function definition(plural: string, properties: string): HostileInput {
  const schema = `{"type":"object","properties":{"spec":{"type":"object","properties":{${properties}}}}}`;
  return {
    what: 'definition',
    path: definitions,
    body:
      `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"${plural}.below.dev","labels":{"of":"many"}},` +
      `"spec":{"group":"below.dev","scope":"Namespaced","names":{"plural":"${plural}","kind":"A${plural}"},` +
      `"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}]}}`,
  };
}

/** An object of many keys, and a policy that looks at config maps when they are made. */
function policed(what: string, expression: string): HostileInput {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] };
  return {
    what,
    body: large,
    before: [
      made({
        path: `${policies}/validatingadmissionpolicies`,
        body: JSON.stringify({ metadata: { name: 'looks' }, spec }),
      }),
      made({
        path: `${policies}/validatingadmissionpolicybindings`,
        body: JSON.stringify({
          metadata: { name: 'looks' },
          spec: { policyName: 'looks', validationActions: ['Deny'] },
        }),
      }),
    ],
    after: [
      deleted(`${policies}/validatingadmissionpolicybindings/looks`),
      deleted(`${policies}/validatingadmissionpolicies/looks`),
      noLarge,
    ],
  };
}

/** Objects whose fields are dropped or filled in far below their root. */
function nested(): HostileInput[] {
  const depth = 40;
  const inner =
    '"b":{"type":"string","default":"v"},"c":{"type":"object","default":{},"properties":{"d":{"type":"string","default":"w"}}}';
  const levels = (innermost: string) =>
    `${many(depth, () => '"n":{"type":"object","properties":{', '')}"l":{"type":"array","items":{"type":"object","properties":{${innermost}}}}${'}}'.repeat(depth)}`;
  const value = (item: string, count: number) =>
    `${'{"n":'.repeat(depth)}{"l":[${many(count, () => item)}]}${'}'.repeat(depth)}`;
  const instance = (what: string, plural: string, spec: string, first: HostileInput): HostileInput => ({
    what,
    path: `/apis/below.dev/v1/namespaces/default/${plural}`,
    body: `{"apiVersion":"below.dev/v1","kind":"A${plural}","metadata":{"name":"x"},"spec":${spec}}`,
    before: [first],
    after: [deleted(`${definitions}/${plural}.below.dev`)],
  });
  return [
    instance('15,000 defaults 40 deep', 'deep0', value('{}', 15_000), definition('deep0', levels(inner))),
    instance(
      '45,000 unknown fields 40 deep',
      'deep1',
      value('{"x":1,"y":{}}', 30_000),
      definition('deep1', levels(inner.replaceAll(/,?"default":("v"|"w"|\{\})/g, ''))),
    ),
  ];
}
