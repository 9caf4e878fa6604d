// Expressions of policies: true, false, wrong at run time, and such as do not compile.

/** Expressions that decide: validations, match conditions and variables. */
export const conditions = [
  ...['true', 'false', 'false', "object.metadata.name != 'a'", "request.operation != 'UPDATE'", "request.name == 'a'"],
  ...["object.data['x'] == '1'", 'has(object.data) && object.data.size() < 2', "object.?data[?'a'].orValue('') != '2'"],
  ...['oldObject == null || object.data == oldObject.data', 'object.spec.replicas <= 2', 'oldObject != null'],
  ...[
    'object == null || object == oldObject',
    "object.metadata.labels['app'] == 'a'",
    "'app' in object.metadata.labels",
  ],
  ...["request.subResource == ''", 'request.dryRun != true', "request.userInfo.username == 'admin'"],
  ...["request.userInfo.groups.exists(g, g == 'system:masters')", "request.options.fieldManager == 'one'"],
  ...["request.kind.kind == 'ConfigMap'", "request.requestKind.version == 'v1'"],
  ...["request.resource.resource != 'configmaps'", 'namespaceObject.metadata.name == request.namespace'],
  ...["namespaceObject.metadata.labels['none'] == 'a'", 'object.metadata.generation < 2', 'object.nope == 1'],
  ...["authorizer.group('').resource('pods').namespace('a').check('get').allowed()", "object.apiVersion == 'v1'"],
  ...["authorizer.requestResource.check('create').allowed()", "object.kind == 'ConfigMap'", '1 / 0 == 1'],
  ...["object.spec.template.spec.containers.all(c, c.image.contains('/'))", "semver('1.0').major() == 1"],
  ...["quantity('1').isGreaterThan(quantity('2'))", '[1, 2].all(x, object.data.size() > x)', "dyn(object) == 'a'"],
  ...[
    'has(object.metadata.annotations)',
    "object.metadata.annotations.all(k, k.startsWith('a'))",
    'int(object.data.a) > 1',
  ],
  ...['type(object) == map', "ip('a').family() == 4", "object.metadata.uid != ''"],
];

/** Those that do not compile. */
export const uncompilable = [
  ...[
    "'a' == 1",
    'nope',
    '(',
    '',
    ' ',
    '1',
    'authorizer.serviceAccount',
    'request.object == object',
    'params.nope == 1',
  ],
  ...['variables.nope', 'object.metadata.name + 1', 'object', 'object.metadata.name'],
];

/** Those that use parameters. */
export const ofParams = [
  ...["params.data.limit == '1'", 'params != null', 'params == null', 'int(params.data.limit) > 1', 'params.nope == 1'],
  ...['has(params.data)', "params.metadata.name == 'one'", 'object.data.size() <= int(params.data.limit)'],
];

/** Those that use variables. */
export const ofVariables = ["variables.v == 'a'", 'variables.w', "variables.v != ''", '!variables.w'];

/** What the variables v and w are. */
export const variables: readonly (readonly [v: string, w: string])[] = [
  ['object.metadata.name', "variables.v == 'a'"],
  ['string(1 / 0)', 'has(object.data)'],
  ['string(object.data.a)', "variables.v == '1'"],
  ['string(request.name)', 'false'],
  ['string(object.nope)', 'object.nope == 1'],
];

const long = 'b'.repeat(6_000);

/** Expressions that say why. */
export const messageExpressions = [
  ...[
    "'no ' + object.metadata.name",
    'string(1 / 0)',
    "'a\\nb'",
    "''",
    "' padded '",
    "' '",
    'string(object.metadata.name)',
  ],
  ...["object.data.a + '!'", `'${long}'`, 'request.operation', "'in ' + namespaceObject.metadata.name"],
];

/** What an annotation of the audit event says. */
export const annotationValues = ["'a'", "1 / 0 == 1 ? 'a' : 'b'", 'null', 'string(object.data.a)'];

const template = 'Object.spec.template';
const containers = (more: string) =>
  `Object{spec: Object.spec{template: ${template}{spec: ${template}.spec{containers: [${template}.spec.containers{${more}}]}}}}`;

/** Configurations that are laid over an object. */
export const configurations = [
  ...["Object{metadata: Object.metadata{labels: {'m': 'x'}}}", "Object{data: {'x': '1'}}", 'Object{}'],
  ...['Object{spec: Object.spec{replicas: 3}}', 'Object{nope: 1}', "Object{metadata: Object.metadata{name: 'z'}}"],
  ...["Object{data: {'x': string(1 / 0)}}", "Object{metadata: Object.metadata{finalizers: ['example.dev/f']}}"],
  ...['Object{metadata: Object.metadata{labels: object.metadata.labels}}', "Object{kind: 'Other'}"],
  ...["Object{spec: Object.spec{replicas: 'a'}}", containers("name: 'main', image: 'i'"), containers("image: 'i'")],
  ...["Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'app': 'b'}}}}", "Object{data: {'a': 1}}"],
  "Object{metadata: Object.metadata{annotations: {'n': object.metadata.?annotations[?'n'].orValue('') + 'x'}}}",
  ...["has(object.data) ? Object{data: {'b': object.data.a}} : Object{}", 'Object{status: Object.status{replicas: 2}}'],
  "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'u'}]}}",
];

/** JSON patches. */
export const jsonPatches = [
  ...["[JSONPatch{op: 'add', path: '/metadata/labels', value: {'m': 'x'}}]", "[JSONPatch{op: 'add'}]"],
  ...["[JSONPatch{op: 'add', path: '/data/x', value: '1'}]", "[JSONPatch{op: 'remove', path: '/nope'}]"],
  ...["[JSONPatch{op: 'test', path: '/data/a', value: '2'}, JSONPatch{op: 'remove', path: '/data/a'}]"],
  ...[
    "[JSONPatch{op: 'replace', path: '/spec/replicas', value: 5}]",
    "[JSONPatch{op: 'nope', path: '/data', value: 1}]",
  ],
  ...["[JSONPatch{op: 'copy', from: '/data/a', path: '/data/b'}]", "[JSONPatch{op: 'add', path: 'data', value: 1}]"],
  "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'}]",
  "object.metadata.labels.map(k, JSONPatch{op: 'remove', path: '/metadata/labels/' + k})",
  ...[
    "[JSONPatch{op: 'add', path: '/data', value: Object.data{x: '1'}}]",
    "[JSONPatch{op: 'add', path: '/nope', value: 1}]",
  ],
  ...[
    "[JSONPatch{op: 'replace', path: '/data/a', value: 1}]",
    "[JSONPatch{op: 'add', path: '/data/x', value: string(1 / 0)}]",
  ],
  ...[
    "[JSONPatch{op: 'replace', path: '/metadata/name', value: 'z'}]",
    "[JSONPatch{op: 'remove', path: '/metadata/labels'}]",
  ],
  `[JSONPatch{op: 'add', path: '/spec/template/spec/containers/-', value: ${template}.spec.containers{name: 'b', image: 'i'}}]`,
];

/** Mutations that do not compile, of either type. */
export const oddMutations = [
  '[]',
  ...['object', '1', '(', '', "Object.metadata{name: 'a'}", "Object{metadata: Object.nope{labels: {'m': 'x'}}}"],
  ...[
    '[JSONPatch{nope: 1}]',
    "Object{data: {'l': params.nope}}",
    "Object{metadata: Object.metadata{labels: {'m': null}}}",
  ],
  "[JSONPatch{op: 'add', path: '/data/l', value: variables.nope}]",
];

/** Those that use parameters, and variables. */
export const mutationsOfParams = {
  configuration: "Object{data: {'l': params.data.limit}}",
  patch: "has(object.data) ? [JSONPatch{op: 'add', path: '/data/l', value: params.data.limit}] : []",
};
export const mutationsOfVariables = {
  configuration: "Object{metadata: Object.metadata{labels: {'m': variables.v}}}",
  patch: "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'n': variables.v}}]",
};
