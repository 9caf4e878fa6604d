import { admin, aPod, aServer, named, type Reply } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { aBinding, aRole, askAs, aUser, rbacPaths } from '../auth/testing/ask-as.js';

const inDefault = '/api/v1/namespaces/default';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const json = { 'content-type': 'application/json' };

type Server = Awaited<ReturnType<typeof aServer>>;

/** Applies an object; `query` goes on after the manager: `m&force=true`. */
function apply({ ask }: Server, collection: string, query: string, object: object, part = ''): Promise<Reply> {
  const { name } = (object as { metadata: { name: string } }).metadata;
  return ask('PATCH', `${collection}/${name}${part}?fieldManager=${query}`, object, {
    'content-type': 'application/apply-patch+yaml',
  });
}

function configMap(data: Record<string, string>, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', ...metadata }, data };
}

function deployment(spec: object, status?: object) {
  const metadata = { name: 'd' };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec, ...(status && { status }) };
}

const web = {
  selector: { matchLabels: { app: 'web' } },
  template: {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] }] },
  },
};

function managers({ body }: Reply): Record<string, unknown> {
  const entries: { manager: string; operation: string; subresource?: string; fieldsV1: unknown }[] =
    body.metadata.managedFields ?? [];
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter(Boolean).join(' '),
      fieldsV1,
    ]),
  );
}

test('an apply makes an object that is not there, and its applier owns what it said', async () => {
  const server = await aServer();
  const made = await apply(server, deployments, 'm', deployment({ replicas: 2, ...web }));
  expect(made.status).toBe(201);
  expect(made.body.spec.progressDeadlineSeconds).toBe(600);
  expect(managers(made)).toEqual({
    'm Apply': {
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"web"}': {
                '.': {},
                'f:image': {},
                'f:name': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
              },
            },
          },
        },
      },
    },
  });
});

test('who creates a built-in object otherwise owns what it says and its defaults, in the form of Kubernetes', async () => {
  const { ask } = await aServer();
  const made = await ask('POST', deployments, deployment(web), { ...json, 'user-agent': 'kubectl/v1.34 (linux)' });
  expect(managers(made)).toEqual({
    'kubectl Update': {
      'f:spec': {
        'f:progressDeadlineSeconds': {},
        'f:replicas': {},
        'f:revisionHistoryLimit': {},
        'f:selector': {},
        'f:strategy': {
          'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} },
          'f:type': {},
        },
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"web"}': {
                '.': {},
                'f:image': {},
                'f:imagePullPolicy': {},
                'f:name': {},
                'f:ports': {
                  '.': {},
                  'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                },
                'f:resources': {},
                'f:terminationMessagePath': {},
                'f:terminationMessagePolicy': {},
              },
            },
            'f:dnsPolicy': {},
            'f:restartPolicy': {},
            'f:schedulerName': {},
            'f:securityContext': {},
            'f:terminationGracePeriodSeconds': {},
          },
        },
      },
    },
  });
});

test('a conflict says whose field it is; force takes it, and an equal value is shared', async () => {
  const server = await aServer();
  await server.ask('POST', `${inDefault}/configmaps?fieldManager=editor`, configMap({ a: '1', b: '2' }));
  const refused = await apply(server, `${inDefault}/configmaps`, 'm', configMap({ a: '9', b: '2' }));
  expect(refused.body).toMatchObject({
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict: conflict with "editor" using v1: .data.a',
    details: {
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "editor" using v1', field: '.data.a' }],
    },
  });
  const forced = await apply(server, `${inDefault}/configmaps`, 'm&force=true', configMap({ a: '9', b: '2' }));
  expect(forced.body.data).toEqual({ a: '9', b: '2' });
  expect(managers(forced)).toEqual({
    'editor Update': { 'f:data': { '.': {}, 'f:b': {} } },
    'm Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } },
  });
});

test('what is no longer applied goes, elements of lists too, and what others added stays', async () => {
  const server = await aServer();
  const container = { name: 'web', image: 'web:1' };
  const withEnv = (...env: object[]) => ({ ...web, template: template({ ...container, env }) });
  await apply(server, deployments, 'm', deployment(withEnv({ name: 'A', value: '1' }, { name: 'B', value: '2' })));
  await apply(server, deployments, 'sidecar', {
    ...deployment({ template: { spec: { containers: [{ name: 'proxy', image: 'proxy:1' }] } } }),
  });
  const fewer = await apply(server, deployments, 'm', deployment(withEnv({ name: 'B', value: '2' })));
  const { containers } = fewer.body.spec.template.spec;
  expect(containers.map(({ name }: { name: string }) => name)).toEqual(['web', 'proxy']);
  expect(containers[0].env).toEqual([{ name: 'B', value: '2' }]);
});

function template(...containers: object[]) {
  return { metadata: { labels: { app: 'web' } }, spec: { containers } };
}

test('an apply that says nothing new writes nothing', async () => {
  const server = await aServer();
  const first = await apply(server, `${inDefault}/configmaps`, 'm', configMap({ a: '1' }));
  await server.clock.advance(5_000);
  const second = await apply(server, `${inDefault}/configmaps`, 'm', configMap({ a: '1' }));
  expect(second.status).toBe(200);
  expect(second.body).toEqual(first.body);
  const third = await apply(server, `${inDefault}/configmaps`, 'm', configMap({ a: '2' }));
  expect(third.body.metadata.managedFields[0].time).not.toBe(first.body.metadata.managedFields[0].time);
});

test('a status is applied for itself, and neither spec nor metadata is owned through it', async () => {
  const server = await aServer();
  await apply(server, deployments, 'm', deployment(web));
  const status = { observedGeneration: 1, replicas: 3 };
  const written = await apply(server, deployments, 'c', deployment({ replicas: 7 }, status), '/status');
  expect(written.body.status).toMatchObject(status);
  expect(written.body.spec.replicas).toBe(1);
  expect(managers(written)['c Apply status']).toEqual({ 'f:status': { 'f:observedGeneration': {}, 'f:replicas': {} } });
  expect(
    (await apply(server, deployments, 'c', { ...deployment(web), metadata: { name: 'no' } }, '/status')).status,
  ).toBe(404);
});

test('who scales owns the replicas, and an applier is told', async () => {
  const server = await aServer();
  await apply(server, deployments, 'm', deployment({ replicas: 2, ...web }));
  const merge = { 'content-type': 'application/merge-patch+json' };
  await server.ask('PATCH', `${deployments}/d/scale?fieldManager=hpa`, { spec: { replicas: 5 } }, merge);
  const refused = await apply(server, deployments, 'm', deployment({ replicas: 2, ...web }));
  expect(refused.body.message).toBe(
    'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
  );
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 6 } };
  expect((await apply(server, deployments, 'me', scale, '/scale')).body.message).toContain('using autoscaling/v1');
  const scaled = await apply(server, deployments, 'me&force=true', scale, '/scale');
  expect(scaled.body.spec).toEqual({ replicas: 6 });
  const after = managers(await server.ask('GET', `${deployments}/d`));
  expect(after['me Apply scale']).toEqual({ 'f:spec': { 'f:replicas': {} } });
  expect(after['hpa Update scale']).toBeUndefined();
});

test('kubectl takes over what it applied from the client, keeps its note, and nothing that changed since', async () => {
  const server = await aServer();
  const note = 'kubectl.kubernetes.io/last-applied-configuration';
  const noted = (data: Record<string, string>) => ({ [note]: `${JSON.stringify(configMap(data))}\n` });
  const made = configMap({ a: '1', b: '2' }, { annotations: noted({ a: '1', b: '2' }) });
  await server.ask('POST', `${inDefault}/configmaps?fieldManager=kubectl-client-side-apply`, made);
  const refused = await apply(server, `${inDefault}/configmaps`, 'other', configMap({ a: '9' }));
  expect(refused.status).toBe(409);
  const taken = await apply(server, `${inDefault}/configmaps`, 'kubectl', configMap({ a: '9' }));
  expect(taken.body.data).toEqual({ a: '9', b: '2' });
  expect(JSON.parse(taken.body.metadata.annotations[note])).toEqual(configMap({ a: '9' }));
  const merge = { 'content-type': 'application/merge-patch+json' };
  await server.ask('PATCH', `${inDefault}/configmaps/c?fieldManager=editor`, { data: { a: 'edited' } }, merge);
  const stale = await apply(server, `${inDefault}/configmaps`, 'kubectl', configMap({ a: '9' }));
  expect(stale.body.message).toBe('Apply failed with 1 conflict: conflict with "editor" using v1: .data.a');
});

// what is wrong | query | body | status | message
const wrong: [string, string, unknown, number, string][] = [
  ['nobody applies', '', configMap({}), 422, 'fieldManager: Required value: is required for apply patch'],
  ['no YAML', 'm', '{"a":', 400, 'error encoding patch: yaml: line 1'],
  ['a list', 'm', '[]', 400, 'error decoding patch: error unmarshaling JSON'],
  ['another kind', 'm', { ...configMap({}), kind: 'Secret' }, 400, 'invalid object type: /v1, Kind=Secret'],
  ['owners', 'm', configMap({}, { managedFields: [] }), 400, 'metadata.managedFields must be nil'],
  [
    'another name',
    'm',
    configMap({}, { name: 'x' }),
    400,
    'the name of the object (x) does not match the name on the URL (c)',
  ],
  ['no name', 'm', { apiVersion: 'v1', kind: 'ConfigMap' }, 400, 'was undeterminable: name must be provided'],
  [
    'a uid of nothing',
    'm',
    configMap({}, { uid: 'u' }),
    409,
    'uid mismatch: the provided object specified uid u, and no existing object was found',
  ],
  [
    'an unknown field',
    'm',
    { ...configMap({}), date: {} },
    500,
    'failed to create typed patch object (/c; /v1, Kind=ConfigMap): .date: field not declared in schema',
  ],
  [
    'a key given twice',
    'm&fieldValidation=Strict',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: "1", a: "2"}',
    400,
    'already set in map',
  ],
];

test.each(wrong)('an apply is refused: %s', async (_, query, body, status, message) => {
  const { ask } = await aServer();
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const refused = await ask('PATCH', `${inDefault}/configmaps/c?fieldManager=${query}`, body, headers);
  expect([refused.status, refused.body.message]).toEqual([status, expect.stringContaining(message)]);
});

test('a dry run says who would own what, and stores nothing', async () => {
  const server = await aServer();
  const dry = await apply(server, `${inDefault}/configmaps`, 'm&dryRun=All', configMap({ a: '1' }));
  expect([dry.status, managers(dry)]).toEqual([201, { 'm Apply': { 'f:data': { 'f:a': {} } } }]);
  expect((await server.ask('GET', `${inDefault}/configmaps/c`)).status).toBe(404);
});

test('clients may say who owns what, forget it, and leave it out', async () => {
  const { ask } = await aServer();
  const made = await ask('POST', `${inDefault}/configmaps?fieldManager=m`, configMap({ a: '1' }));
  const { managedFields, ...metadata } = made.body.metadata;
  const unaware = await ask('PUT', `${inDefault}/configmaps/c`, { ...made.body, metadata });
  expect(unaware.body.metadata.managedFields).toEqual(managedFields);
  const renamed = [{ ...managedFields[0], manager: 'n' }];
  const put = await ask('PUT', `${inDefault}/configmaps/c`, {
    ...made.body,
    metadata: { ...metadata, managedFields: renamed },
  });
  expect(Object.keys(managers(put))).toEqual(['n Update']);
  const current = put.body.metadata;
  const forgotten = await ask('PUT', `${inDefault}/configmaps/c`, {
    ...put.body,
    metadata: { ...current, managedFields: [{}] },
  });
  expect(forgotten.body.metadata.managedFields).toBeUndefined();
  const written = await ask('PUT', `${inDefault}/configmaps/c`, { ...forgotten.body, data: { a: '2' } });
  expect(written.body.metadata.managedFields).toBeUndefined();
  const other = await ask('POST', `${inDefault}/configmaps`, named('ConfigMap', 'd', { data: { a: '1' } }));
  const emptied = { ...other.body, metadata: { ...other.body.metadata, managedFields: [] } };
  const { metadata: left } = (await ask('PUT', `${inDefault}/configmaps/d`, emptied)).body;
  expect([left.managedFields, left.resourceVersion === other.body.metadata.resourceVersion]).toEqual([
    undefined,
    false,
  ]);
  const server = { ask } as Server;
  const applied = await apply(server, `${inDefault}/configmaps`, 'm', configMap({ b: '2' }));
  expect(managers(applied)).toEqual({
    'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {} } },
    'm Apply': { 'f:data': { 'f:b': {} } },
  });
});

test('owners of an object are owned one by one, each as a whole', async () => {
  const { ask } = await aServer();
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u1' };
  const pod = aPod('p');
  const made = await ask('POST', `${inDefault}/pods`, {
    ...pod,
    metadata: { ...pod.metadata, ownerReferences: [owner] },
  });
  expect(managers(made)['unknown Update']).toMatchObject({
    'f:metadata': { 'f:ownerReferences': { '.': {}, 'k:{"uid":"u1"}': {} } },
  });
});

test('of two first applies of a large object one makes it, and the other is applied to it', async () => {
  const server = await aServer();
  const path = `${inDefault}/configmaps/c`;
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const applyLarge = (key: string) => {
    const keys = Array.from({ length: 3_000 }, (_, at) => [key + at, 'x'.repeat(100)]);
    const bytes = Buffer.from(JSON.stringify(configMap(Object.fromEntries(keys))));
    const query = new URLSearchParams({ fieldManager: key });
    return server.api.handle({ method: 'PATCH', path: `${path}?${query}`, headers, user: admin, body: { bytes } });
  };
  const answers = await Promise.all([applyLarge('a'), applyLarge('b')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
  const { body } = await server.ask('GET', path);
  expect(Object.keys(body.data)).toHaveLength(6_000);
  expect(body.metadata.managedFields).toHaveLength(2);
});

test('apply creates an object only for a caller who may create it, dry runs included', async () => {
  const server = await aServer();
  await server.ask('POST', rbacPaths.clusterRoles, aRole('patcher', 'get patch', 'configmaps'));
  const binding = aBinding('patcher', 'ClusterRole', 'patcher', 'jane');
  await server.ask('POST', rbacPaths.clusterRoleBindings, binding);
  const asJane = { ...server, ask: askAs(server.api, aUser('jane')) };
  for (const query of ['m', 'm&dryRun=All']) {
    const { status, body } = await apply(asJane, `${inDefault}/configmaps`, query, configMap({ a: '1' }));
    expect([status, body.message]).toEqual([
      403,
      'configmaps "c" is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "default"',
    ]);
  }
  expect((await server.ask('GET', `${inDefault}/configmaps/c`)).status).toBe(404);
  await server.ask('POST', `${inDefault}/configmaps`, configMap({ a: '1' }));
  expect((await apply(asJane, `${inDefault}/configmaps`, 'm', configMap({ b: '2' }))).status).toBe(200);
});
