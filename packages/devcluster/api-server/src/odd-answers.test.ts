import { aPod, aServer, named, type Reply } from '@slipway/devcluster/testing/a-server';
import { beforeAll, expect, test } from 'vitest';

// What the comparison with a real API server on generated requests found, request by request.

const maps = '/api/v1/namespaces/default/configmaps';
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' };
const repeated = (when: string) =>
  `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may ` +
  'reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u';

let ask: Awaited<ReturnType<typeof aServer>>['ask'];
let askOlder: typeof ask;
beforeAll(async () => {
  ({ ask } = await aServer(undefined, undefined, undefined, '1.37'));
  ({ ask: askOlder } = await aServer(undefined, undefined, undefined, '1.36'));
  for (const each of [ask, askOlder]) await each('POST', maps, named('ConfigMap', 'c', { data: { a: '1' } }));
});

const shown = ({ status, body }: Reply) => [status, body.message];

// method | query or rest of the path | body | media type | status and message
type Row = [method: string, rest: string, body: unknown, type: string, status: number, message: string];
const refused: Row[] = [
  ['GET', '?timeout=abc', undefined, '', 400, timeoutOf('invalid duration "abc"')],
  ['GET', '/c?timeout=1', undefined, '', 400, timeoutOf('missing unit in duration "1"')],
  ['GET', '/c?timeout=1d', undefined, '', 400, timeoutOf('unknown unit "d" in duration "1d"')],
  ['GET', '/nope?timeout=1h2m.5s', undefined, '', 404, 'configmaps "nope" not found'],
  ['GET', '/c?resourceVersion=-1', undefined, '', 500, versionOf('-1')],
  [
    'GET',
    '?fieldSelector=status.phase%3DA',
    undefined,
    '',
    400,
    '"status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  ['GET', '?fieldSelector=a&timeoutSeconds=a', undefined, '', 400, 'strconv.ParseInt: parsing "a": invalid syntax'],
  ['POST', '?dryRun=', '{', '', 422, dryRunOf('CreateOptions')],
  ['PUT', '/c?dryRun=', '{', '', 422, dryRunOf('UpdateOptions')],
  ['PATCH', '/c?dryRun=', '', 'merge-patch+json', 422, dryRunOf('PatchOptions')],
  ['DELETE', '/c?dryRun=', undefined, '', 422, dryRunOf('DeleteOptions')],
  ['DELETE', '/c?gracePeriodSeconds=', undefined, '', 400, 'strconv.ParseInt: parsing "": invalid syntax'],
  ['PATCH', '/c', '{"a"', 'merge-patch+json', 400, 'invalid JSON patch'],
  [
    'PATCH',
    '/c',
    '[{"op":"Add"}]',
    'json-patch+json',
    422,
    'the server rejected our request due to an error in our request',
  ],
  ['PATCH', '/c?fieldManager=m', '- a', 'apply-patch+yaml', 400, applied('array')],
  [
    'POST',
    '',
    { kind: 'None' },
    '',
    400,
    misfit('None', 'v1', `no kind "None" is registered for version "v1" ${scheme}`),
  ],
  [
    'POST',
    '',
    { kind: 'Pod' },
    '',
    400,
    misfit('Pod', 'v1', 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'),
  ],
  ['POST', '', { kind: 'Pod', spec: 1 }, '', 400, misfit('Pod', 'v1', wrongType('number', 'Pod.spec', 'v1.PodSpec'))],
  ['POST', '', { kind: [] }, '', 400, unrecognized(wrongType('array', '.kind', 'string'), '{"kind":[]}')],
  ['DELETE', '/c', { kind: 'Pod' }, '', 400, `no kind "Pod" is registered for version "meta.k8s.io/v1" ${scheme}`],
  ['DELETE', '/c', { dryRun: 'All' }, '', 400, wrongType('string', 'DeleteOptions.dryRun', '[]string')],
  [
    'DELETE',
    '/c',
    { preconditions: { uid: 1 } },
    '',
    400,
    wrongType('number', 'Preconditions.preconditions.uid', 'types.UID'),
  ],
  [
    'DELETE',
    '/c',
    { propagationPolicy: 1 },
    '',
    400,
    wrongType('number', 'DeleteOptions.propagationPolicy', 'v1.DeletionPropagation'),
  ],
  ['DELETE', '/nope', { apiVersion: 'batch/v1' }, '', 404, 'configmaps "nope" not found'],
  // What cannot be read further on comes before what has the wrong type.
  [
    'POST',
    '',
    { metadata: { labels: { a: 1 }, creationTimestamp: 'a' } },
    '',
    400,
    misfit('ConfigMap', 'v1', 'parsing time "a" as "2006-01-02T15:04:05Z07:00": cannot parse "a" as "2006"'),
  ],
];
test.each(refused)(
  '%s configmaps%s with %j is refused as by Kubernetes',
  async (method, rest, body, type, status, message) => {
    const headers = type === '' ? undefined : { 'content-type': `application/${type}` };
    expect(shown(await ask(method, `${maps}${rest}`, body, headers))).toEqual([status, message]);
  },
);

test('media types that no answer has are refused before the request is read', async () => {
  const accept = { accept: 'text/plain' };
  const available = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  const message = `406: Not Acceptable\n\nAvailable representations: ${available}`;
  expect(shown(await ask('POST', maps, '{', accept))).toEqual([406, message]);
  expect(shown(await ask('GET', maps, undefined, accept))).toEqual([406, `${message}, ${streams}`]);
  const list = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
  expect(shown(await ask('GET', `${maps}/c`, undefined, list))).toEqual([
    406,
    'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
  ]);
});

test('answers about questions come in no table', async () => {
  const accept = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
  const message =
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  expect(shown(await ask('POST', reviews, {}, accept))).toEqual([406, message]);
  const metadata = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
  expect((await ask('POST', reviews, {}, metadata)).body.kind).toBe('PartialObjectMetadata');
});

test('a pod that is put on a node is of the same generation', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  await ask('POST', pods, aPod('placed'));
  await ask('POST', `${pods}/placed/binding`, { metadata: { name: 'placed' }, target: { kind: 'Node', name: 'n' } });
  const { body } = await ask('GET', `${pods}/placed`);
  expect([body.spec.nodeName, body.metadata.generation]).toEqual(['n', 1]);
});

test('a server of an older version refuses patches in the words of that version', async () => {
  const decoding = 'error decoding patch: unexpected end of JSON input';
  expect(shown(await askOlder('PATCH', `${maps}/c`, '{', type('merge-patch+json')))).toEqual([400, decoding]);
  const { status } = await askOlder('PATCH', `${maps}/c`, '[{"op":"Add"}]', type('json-patch+json'));
  expect(status).toBe(400);
});

test('a strategic merge patch cannot change the kind', async () => {
  const patch = { kind: 'Pod', apiVersion: 'v9', data: { b: '2' } };
  const { status, body } = await ask('PATCH', `${maps}/c`, patch, type('strategic-merge-patch+json'));
  expect([status, body.kind, body.apiVersion, body.data]).toEqual([200, 'ConfigMap', 'v1', { a: '1', b: '2' }]);
});

test('a patch cannot make an object of a kind that does not exist', async () => {
  const { status, body } = await ask('PATCH', `${maps}/c`, { kind: 'None' }, type('merge-patch+json'));
  expect([status, body.details.causes[0].field]).toEqual([422, 'patch']);
  expect(body.message).toMatch(
    /: no kind "None" is registered for version "v1" in scheme "pkg\/runtime\/scheme\.go:111"$/,
  );
});

test('a dry run of a create keeps the version that it was given', async () => {
  const { status, body } = await ask('POST', `${maps}?dryRun=All`, { metadata: { name: 'dry', resourceVersion: '7' } });
  expect([status, body.metadata.resourceVersion]).toEqual([201, '7']);
});

test('items of lists of built-in kinds do not repeat the kind, in any format', async () => {
  const { body } = await ask('GET', maps);
  expect(body).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMapList' });
  expect(Object.keys(body.items[0])).toEqual(['metadata', 'data']);
  const yaml = await ask('GET', maps, undefined, { accept: 'application/yaml' });
  expect(yaml.body).not.toMatch(/kind: ConfigMap$/m);
});

test('owner references that are given twice are kept once, with a warning', async () => {
  const twice = { ownerReferences: [owner, { ...owner }, { ...owner, controller: true }] };
  const made = await ask('POST', maps, { metadata: { name: 'owned', ...twice } });
  expect(made.warnings).toEqual([repeated('')]);
  expect(made.body.metadata.ownerReferences).toEqual([owner, { ...owner, controller: true }]);
  const patched = await ask('PATCH', `${maps}/c`, { metadata: twice }, type('merge-patch+json'));
  expect(patched.warnings).toEqual([repeated(' after mutating admission happens')]);
});

test('owner references are validated element by element', async () => {
  const { body } = await ask('POST', maps, {
    metadata: { name: 'o', ownerReferences: [owner, { apiVersion: 'a/b/c', kind: 'A', name: 'n' }] },
  });
  expect(body.message).toBe(
    'ConfigMap "o" is invalid: [metadata.ownerReferences[1].apiVersion: Invalid value: "a/b/c": must be <group>/<version> ' +
      'or <version>, metadata.ownerReferences[1].uid: Required value: must not be empty]',
  );
});

test('PUT creates an object of a kind that allows it, and no other', async () => {
  const role = { metadata: { name: 'made', resourceVersion: '7' }, rules: [] };
  const made = await ask('PUT', `${roles}/made`, role);
  expect([made.status, made.body.kind]).toEqual([201, 'Role']);
  expect((await ask('PUT', `${roles}/other`, { metadata: { name: 'other', uid: 'u' } })).body.reason).toBe('Conflict');
  expect((await ask('PUT', `${maps}/other`, { metadata: { name: 'other' } })).status).toBe(404);
});

test('a write of the status changes the metadata too, where Kubernetes does', async () => {
  const quotas = '/api/v1/namespaces/default/resourcequotas';
  await ask('POST', quotas, { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } });
  const metadata = { labels: { a: 'b' }, finalizers: ['example.dev/f'] };
  const { body } = await ask('PATCH', `${quotas}/q/status`, { metadata }, type('merge-patch+json'));
  expect(body.metadata).toMatchObject(metadata);
  expect(body.metadata.managedFields.at(-1)).toMatchObject({ subresource: 'status', fieldsV1: { 'f:metadata': {} } });
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const spec = {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
  await ask('POST', deployments, { metadata: { name: 'd' }, spec });
  const scaled = await ask(
    'PATCH',
    `${deployments}/d/status`,
    { metadata: { ...metadata, annotations: { n: 'm' } } },
    type('merge-patch+json'),
  );
  expect(scaled.body.metadata).not.toHaveProperty('labels');
  expect(scaled.body.metadata).toMatchObject({ annotations: { n: 'm' }, finalizers: metadata.finalizers });
});

test('an update of some kinds must name the version that it replaces', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  await ask('POST', leases, { metadata: { name: 'l' } });
  const { status, body } = await ask('PUT', `${leases}/l`, { metadata: { name: 'l' } });
  expect([status, body.message]).toEqual([
    422,
    'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ]);
});

test('a delete of a collection answers what there was, and first says what is wrong with its selection', async () => {
  const metadata = { labels: { run: 'r' }, finalizers: ['example.dev/f'] };
  for (const name of ['one', 'two']) await ask('POST', maps, { metadata: { name, ...metadata } });
  const unsafe = 'ignoreStoreReadErrorWithClusterBreakingPotential';
  expect((await ask('DELETE', `${maps}?${unsafe}=true`)).body.message).toBe(
    `DeleteOptions.meta.k8s.io "" is invalid: ${unsafe}: Invalid value: true: is not allowed with DELETECOLLECTION, try again after removing the option`,
  );
  expect((await ask('DELETE', `${maps}/c?${unsafe}=true`)).body.message).toBe(
    'Operation cannot be fulfilled on configmaps "c": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/c, ' +
      'ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage',
  );
  expect((await ask('DELETE', `${maps}?sendInitialEvents=false`, { kind: 'Pod' })).body.reason).toBe('Invalid');
  const dry = await ask('DELETE', `${maps}?labelSelector=run%3Dr&limit=1`, { dryRun: ['All'] });
  expect(dry.body.items).toHaveLength(1);
  const { body } = await ask('DELETE', `${maps}?labelSelector=run%3Dr&limit=1`);
  expect(body.items.map(({ metadata }: { metadata: object }) => metadata)).toEqual([
    expect.not.objectContaining({ deletionTimestamp: expect.anything() }),
  ]);
  const left = await ask('GET', `${maps}?labelSelector=run%3Dr`);
  expect(
    left.body.items.map(({ metadata }: { metadata: { deletionTimestamp?: string } }) =>
      Boolean(metadata.deletionTimestamp),
    ),
  ).toEqual([true, false]);
});

test('dependents of a replication controller are orphaned unless the delete says otherwise, without a warning', async () => {
  const controllers = '/api/v1/namespaces/default/replicationcontrollers';
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await ask('POST', controllers, { metadata: { name: 'r' }, spec: { selector: { a: 'b' }, template } });
  const { body, warnings } = await ask('DELETE', `${controllers}/r`);
  expect([body.metadata.finalizers, warnings]).toEqual([['orphan'], []]);
});

test('dependents of a job are orphaned unless the delete says otherwise, with a warning', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  for (const name of ['k', 'l']) await ask('POST', jobs, { metadata: { name }, spec: { template } });
  const kept = await ask('DELETE', `${jobs}/k`);
  expect(kept.warnings).toEqual([expect.stringContaining('child pods are preserved by default when jobs are deleted')]);
  expect(kept.body.metadata.finalizers).toEqual(['orphan']);
  const gone = await ask('DELETE', `${jobs}/l?propagationPolicy=Background`);
  expect([gone.warnings, gone.body.kind]).toEqual([[], 'Status']);
});

test('a page ends with a token when objects follow that may not match', async () => {
  const { body } = await ask('GET', `${maps}?fieldSelector=metadata.name!%3Dzz&labelSelector=!run&limit=1`);
  expect(body.items).toHaveLength(1);
  expect(body.metadata).toHaveProperty('continue');
});

test('a client cannot set its deletion, and sets the generation where the server does not count', async () => {
  const metadata = { name: 'g', generation: 7, deletionTimestamp: '2001-01-01T00:00:00Z', labels: { a: 'b' } };
  const { body } = await ask('POST', maps, { metadata });
  expect(body.metadata).toMatchObject({ generation: 7 });
  expect(body.metadata).not.toHaveProperty('deletionTimestamp');
  expect(body.metadata.managedFields[0].fieldsV1['f:metadata']).not.toHaveProperty('f:deletionTimestamp');
});

test('autoscalers are counted in generations from 1.37 on', async () => {
  const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
  const seen = async (each: typeof ask) => {
    const { body } = await each('POST', scalers, { metadata: { name: 'h' }, spec: { maxReplicas: 2, scaleTargetRef } });
    return body.metadata.generation;
  };
  expect([await seen(ask), await seen(askOlder)]).toEqual([1, undefined]);
});

test('preconditions of a delete that do not hold name the kind', async () => {
  const { body } = await ask('DELETE', `${maps}/c`, { preconditions: { uid: 'other' } });
  expect(body.details).toEqual({ name: 'c', kind: 'ConfigMap' });
  expect(body.message).toMatch(
    /^Operation cannot be fulfilled on ConfigMap "c": the UID in the precondition \(other\)/,
  );
});

test('an apply to a part of what does not exist finds nothing, whatever it says', async () => {
  const { status } = await ask(
    'PATCH',
    `${maps.replace('configmaps', 'pods')}/nope/status?fieldManager=m`,
    'a: 1',
    type('apply-patch+yaml'),
  );
  expect(status).toBe(404);
});

test('a label selector that cannot be read comes before options that do not fit', async () => {
  const { body } = await ask('GET', `${maps}?sendInitialEvents=false&labelSelector=x%3D%C3%A9`);
  expect(body.message).toMatch(/^unable to parse requirement/);
});

test('a node has its address range in both fields, and owns what it was given', async () => {
  const { body } = await ask('POST', '/api/v1/nodes', { metadata: { name: 'n' }, spec: { podCIDR: '10.1.0.0/24' } });
  expect(body.spec).toMatchObject({ podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] });
  expect(body.metadata.managedFields[0].fieldsV1['f:spec']).toHaveProperty('f:podCIDRs');
});

function type(name: string) {
  return { 'content-type': `application/${name}` };
}

function timeoutOf(problem: string): string {
  return `invalid timeout specified in the request URL - time: ${problem}`;
}

function versionOf(text: string): string {
  return `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;
}

function dryRunOf(kind: string): string {
  return `${kind}.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"`;
}

function applied(shape: string): string {
  return `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${shape} into Go value of type map[string]interface {}`;
}

function misfit(kind: string, version: string, why: string): string {
  return `${kind} in version "${version}" cannot be handled as a ConfigMap: ${why}`;
}

function wrongType(shape: string, field: string, expected: string): string {
  return `json: cannot unmarshal ${shape} into Go struct field ${field} of type ${expected}`;
}

function unrecognized(why: string, body: string): string {
  return `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${why} (${body})`;
}

const controllers = '/api/v1/namespaces/default/replicationcontrollers';
const yaml = { 'content-type': 'application/apply-patch+yaml' };

test('an apply to a part of what is not there says so after it was read, and before its kind is looked at', async () => {
  const applied = (part: string, text: string) =>
    ask('PATCH', `${controllers}/none/${part}?fieldManager=m`, text, yaml);
  const absent = [404, 'replicationcontrollers "none" not found'];
  expect(shown(await applied('scale', '{"apiVersion":"v1","kind":"Other"}'))).toEqual(absent);
  expect(shown(await applied('status', '{"apiVersion":"v1","kind":"Other"}'))).toEqual(absent);
  expect((await applied('status', 'a: b: c')).status).toBe(400);
});

test('an apply of a time that is none is found when what was merged is converted', async () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'timed', deletionTimestamp: '' } };
  expect(shown(await ask('PATCH', `${maps}/timed?fieldManager=m`, JSON.stringify(config), yaml))).toEqual([
    500,
    'failed to convert new object (/timed; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object ' +
      'to /v1, Kind=ConfigMap: parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"',
  ]);
});

test('the scale of a replication controller names its selector, and a controller needs a template', async () => {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const made = await ask('POST', controllers, named('ReplicationController', 'rc', { spec: { template } }));
  expect(made.status).toBe(201);
  expect((await ask('GET', `${controllers}/rc/scale`)).body.status.selector).toBe('app=a');
  expect(shown(await ask('POST', controllers, named('ReplicationController', 'bare')))).toEqual([
    422,
    'ReplicationController "bare" is invalid: [spec.selector: Required value, spec.template: Required value]',
  ]);
});

test('what a refused merge patch made is shown with its fields in order, from 1.37 on', async () => {
  const patch = (to: typeof ask) =>
    to('PATCH', `${maps}/c`, '{"apiVersion":"A","metadata":{"labels":{"b":"1","a":"2"}}}', {
      'content-type': 'application/merge-patch+json',
    });
  const result = async (to: typeof ask) =>
    /Invalid value: ("\{.*\}"): no kind/.exec((await patch(to)).body.message)?.[1];
  const object = JSON.parse(JSON.parse((await result(ask)) ?? '""'));
  expect(Object.keys(object)).toEqual(['apiVersion', 'data', 'kind', 'metadata']);
  expect(Object.keys(object.metadata.labels)).toEqual(['a', 'b']);
  expect(await result(askOlder)).not.toBe(await result(ask));
});

test('a version of no group is written without its slash, and control characters as Go writes them', async () => {
  const message = async (apiVersion: string, kind: string) =>
    (await ask('POST', maps, { apiVersion, kind })).body.message;
  expect(await message('/data', 'A')).toBe(
    misfit('A', 'data', `no kind "A" is registered for version "data" ${scheme}`),
  );
  expect(await message('v1', '\u0000')).toContain(`no kind "\\x00" is registered for version "v1" ${scheme}`);
});

test('elements of a list without their key have an empty one, and what the URL contradicts is refused after that', async () => {
  const apply = async (metadata: object) =>
    shown(
      await ask(
        'PATCH',
        `${maps}/keyless?fieldManager=m`,
        JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'keyless', ...metadata } }),
        yaml,
      ),
    );
  const empty = 'metadata.ownerReferences[0]';
  expect(await apply({ ownerReferences: [{ controller: true }] })).toEqual([
    422,
    `ConfigMap "keyless" is invalid: [${['apiVersion', 'kind', 'name', 'uid'].map((name) => `${empty}.${name}: Required value: must not be empty`).join(', ')}]`,
  ]);
  expect(await apply({ ownerReferences: [{}, { controller: true }] })).toEqual([
    500,
    'failed to create typed patch object (/keyless; /v1, Kind=ConfigMap): .metadata.ownerReferences: duplicate entries for key [uid=""]',
  ]);
  expect(await apply({ ownerReferences: [{}], name: 'other' })).toEqual([
    400,
    'the name of the object (other) does not match the name on the URL (keyless)',
  ]);
});

test.each([
  ['{"data":fals', "invalid character ' ' in literal false (expecting 'e')"],
  ['{"data":-', "invalid character ' ' in numeric literal"],
  ['{"data":"\\', "invalid character ' ' in string escape code"],
  ['{"data":"', 'unexpected end of JSON input'],
  ['{"data":12', 'unexpected end of JSON input'],
])('a body that ends within %s is answered as by the decoder of Go', async (body, why) => {
  expect((await ask('POST', maps, body)).body.message).toContain(`json parse error: ${why} (`);
});

test('an update keeps when its object was made, whatever it says; a version beyond 64 bits is none', async () => {
  const huge = '9'.repeat(25);
  const made = await ask('POST', maps, { metadata: { name: 'kept', resourceVersion: huge } });
  expect(made.status).toBe(201);
  const { creationTimestamp } = made.body.metadata;
  const put = await ask('PUT', `${maps}/kept`, {
    metadata: { name: 'kept', creationTimestamp: '2001-01-01T00:00:00Z' },
  });
  expect([put.status, put.body.metadata.creationTimestamp]).toEqual([200, creationTimestamp]);
  expect((await ask('PUT', `${maps}/kept`, { metadata: { name: 'kept', generateName: 'a/b' } })).body.message).toMatch(
    /^ConfigMap "kept" is invalid: \[metadata.generateName: Invalid value: "a\/b": may not contain '\/', metadata.generateName: Invalid value: "a\/b": a lowercase RFC 1123 subdomain /,
  );
});

test('what cannot be read is deleted without any other option', async () => {
  const unsafe = 'ignoreStoreReadErrorWithClusterBreakingPotential';
  expect((await ask('DELETE', `${maps}/c?gracePeriodSeconds=5&${unsafe}=true`)).body.message).toBe(
    `DeleteOptions.meta.k8s.io "" is invalid: ${unsafe}: Invalid value: true: cannot be set together with .gracePeriodSeconds`,
  );
});
