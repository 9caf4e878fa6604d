import { StatusError } from '@slipway/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyJsonPatch } from './json-patch.js';

const gadget = {
  spec: {
    size: 'L',
    replicas: 3,
    steps: ['one', 'two', 'three'],
    nested: { a: 'A' },
    labels: { 'sl/ash': '1', 'ti~lde': '2' },
    maybe: null,
  },
};

// operations | what becomes of spec
const applied: [string, unknown[], object][] = [
  ['replace', [{ op: 'replace', path: '/spec/size', value: 'S' }], { size: 'S' }],
  ['add a key', [{ op: 'add', path: '/spec/color', value: 'red' }], { color: 'red' }],
  ['add at the end', [{ op: 'add', path: '/spec/steps/-', value: 'x' }], { steps: ['one', 'two', 'three', 'x'] }],
  ['add at index', [{ op: 'add', path: '/spec/steps/0', value: 'x' }], { steps: ['x', 'one', 'two', 'three'] }],
  ['add at 01', [{ op: 'add', path: '/spec/steps/01', value: 'x' }], { steps: ['one', 'x', 'two', 'three'] }],
  ['negative add', [{ op: 'add', path: '/spec/steps/-1', value: 'x' }], { steps: ['one', 'two', 'three', 'x'] }],
  ['negative remove', [{ op: 'remove', path: '/spec/steps/-1' }], { steps: ['one', 'two'] }],
  ['~1', [{ op: 'replace', path: '/spec/labels/sl~1ash', value: 'x' }], { labels: { 'sl/ash': 'x', 'ti~lde': '2' } }],
  ['~0', [{ op: 'remove', path: '/spec/labels/ti~0lde' }], { labels: { 'sl/ash': '1' } }],
  ['move', [{ op: 'move', from: '/spec/nested/a', path: '/spec/color' }], { nested: {}, color: 'A' }],
  ['copy', [{ op: 'copy', from: '/spec/steps/0', path: '/spec/steps/-' }], { steps: ['one', 'two', 'three', 'one'] }],
  ['test null, absent', [{ op: 'test', path: '/spec/nosuch', value: null }], {}],
  ['test null, null', [{ op: 'test', path: '/spec/maybe', value: null }], {}],
  ['test list', [{ op: 'test', path: '/spec/steps', value: ['one', 'two', 'three'] }], {}],
  ['replace null', [{ op: 'replace', path: '/spec/maybe', value: 1 }], { maybe: 1 }],
];

test.each(applied)('applyJsonPatch() %s', (_name, operations, spec) => {
  expect(applyJsonPatch(gadget, operations)).toEqual({ spec: { ...gadget.spec, ...spec } });
});

const generic = 'the server rejected our request due to an error in our request';
// patch | code | text, as the recordings of a real server have them
const refused: [unknown, number, string][] = [
  [[{ op: 'test', path: '/spec/nosuch', value: 1 }], 422, generic],
  [[{ op: 'test', path: '/spec/size', value: 'S' }], 422, generic],
  [[{ op: 'copy', from: '/spec/nosuch', path: '/spec/steps/-' }], 422, generic],
  [[{ op: 'move', from: '/spec/nosuch', path: '/spec/color' }], 422, generic],
  [[{ op: 'remove', path: '' }], 422, generic],
  [[{ op: 'remove', path: '/spec/nosuch' }], 422, generic],
  [[{ op: 'replace', path: '/spec/nosuch', value: 1 }], 422, generic],
  [[{ op: 'replace', path: 'spec/size', value: 'S' }], 422, generic],
  [[{ op: 'replace', path: 'spec', value: 'S' }], 422, generic],
  [[{ op: 'add', path: '/spec/steps/x', value: 'x' }], 422, generic],
  [[{ op: 'add', path: '/spec/steps/4', value: 'x' }], 422, generic],
  [[{ op: 'add', path: '/nosuch/a', value: 'x' }], 422, generic],
  [[{ op: 'replace', path: '', value: [1] }], 422, generic],
  [
    [{ op: 'frobnicate', path: '/spec' }],
    400,
    'invalid operation {"op":"frobnicate","path":"/spec"}: unsupported operation',
  ],
  [
    [{ path: '/spec/size', value: 'S' }],
    400,
    'invalid operation {"path":"/spec/size","value":"S"}: unsupported operation',
  ],
  [
    [{ op: 'add', value: 1 }],
    400,
    `invalid operation {"op":"add","value":1}: failed to decode 'path': operation missing path field: missing value`,
  ],
  [
    [{ op: 'add', path: '/spec/size' }],
    400,
    `invalid operation {"op":"add","path":"/spec/size"}: failed to decode 'value': operation, missing value field: missing value`,
  ],
  [{}, 400, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  ['x', 400, 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
  [[1], 400, 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
  [
    Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/spec/size', value: 'L' })),
    413,
    'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  ],
];

describe('applyJsonPatch() refuses', () => {
  test.each(refused)('%j', (patch, code, message) => {
    const refusal = refusalOf(() => applyJsonPatch(gadget, patch));
    expect([refusal.code, refusal.message]).toEqual([code, message]);
  });

  test('copies that grow beyond a request', () => {
    const document = { a: 'x'.repeat(500_000) };
    const copies = Array.from({ length: 8 }, (_, i) => ({ op: 'copy', from: '/a', path: `/b${i}` }));
    expect(refusalOf(() => applyJsonPatch(document, copies)).code).toBe(422);
  });
});

test('applyJsonPatch() refuses to move a long list again and again', () => {
  const list = Array.from({ length: 60_000 }, (_, index) => index);
  const insertions = (count: number) => Array.from({ length: count }, () => ({ op: 'add', path: '/list/0', value: 0 }));
  expect(refusalOf(() => applyJsonPatch({ list }, insertions(9_000))).code).toBe(413);
  expect(applyJsonPatch({ list }, insertions(100)).list).toHaveLength(60_100);
});

test('applyJsonPatch() of null changes nothing', () => {
  expect(applyJsonPatch(gadget, null)).toEqual(gadget);
});

test('applyJsonPatch() keeps two copies of one value apart', () => {
  const patch = [
    { op: 'add', path: '/spec/nested/b', value: 'B' },
    { op: 'copy', from: '/spec/nested', path: '/spec/twin' },
    { op: 'add', path: '/spec/twin/c', value: 'C' },
  ];
  expect(applyJsonPatch(gadget, patch).spec).toMatchObject({
    nested: { a: 'A', b: 'B' },
    twin: { a: 'A', b: 'B', c: 'C' },
  });
});

test('applyJsonPatch() treats __proto__ as a key', () => {
  const patched = applyJsonPatch({ spec: {} }, [{ op: 'add', path: '/spec/__proto__', value: { polluted: true } }]);
  expect(JSON.stringify(patched)).toBe('{"spec":{"__proto__":{"polluted":true}}}');
  expect(refusalOf(() => applyJsonPatch({ a: {} }, [{ op: 'add', path: '/a/__proto__/x', value: 1 }])).code).toBe(422);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

const key = fc.constantFrom('a', 'b', 'c');
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.string(), fc.boolean(), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
}));
const object = json.object as fc.Arbitrary<Record<string, unknown>>;
const pointer = fc
  .array(fc.constantFrom('a', 'b', 'c', '0', '1', '-'), { maxLength: 3 })
  .map((keys) => keys.map((k) => `/${k}`).join(''));
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: json.value }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('move', 'copy'), from: pointer, path: pointer }),
);

// operations | the spec afterwards, where missing members are taken; undefined when it is refused all the same
const missing: [object[], object | undefined][] = [
  [[{ op: 'replace', path: '/spec/nosuch', value: 1 }], { nosuch: 1 }],
  [[{ op: 'copy', from: '/spec/nosuch', path: '/spec/copied' }], { copied: null }],
  [[{ op: 'replace', path: '/spec/nosuch/deeper', value: 1 }], undefined],
  [[{ op: 'replace', path: '/spec/steps/9', value: 1 }], undefined],
  [[{ op: 'move', from: '/spec/nosuch', path: '/spec/moved' }], undefined],
  [[{ op: 'remove', path: '/spec/nosuch' }], undefined],
];
test.each(missing)('applyJsonPatch() takes missing members: %j', (patch, expected) => {
  const document = { spec: { steps: ['a'] } };
  expect(() => applyJsonPatch(document, patch)).toThrow();
  if (expected) expect(applyJsonPatch(document, patch, 'taken')).toEqual({ spec: { steps: ['a'], ...expected } });
  else expect(() => applyJsonPatch(document, patch, 'taken')).toThrow();
});

// operation | why it does not apply, in the words of Kubernetes
const reasons: [object, string][] = [
  [{ op: 'add', path: '/no/a', value: 1 }, 'add operation does not apply: doc is missing path: "/no/a": missing value'],
  [{ op: 'add', path: '', value: {} }, 'add operation does not apply: doc is missing path: "": missing value'],
  [{ op: 'add', path: 'a', value: 1 }, 'add operation does not apply: doc is missing path: "a": missing value'],
  [
    { op: 'add', path: '/list/a', value: 1 },
    `error in add for path: '/list/a': value was not a proper array index: 'a': strconv.Atoi: parsing "a": invalid syntax`,
  ],
  [
    { op: 'add', path: '/list/5', value: 1 },
    "error in add for path: '/list/5': Unable to access invalid index: 5: invalid index referenced",
  ],
  [{ op: 'remove', path: '/a' }, "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value"],
  [
    { op: 'replace', path: '/no/a', value: 1 },
    'replace operation does not apply: doc is missing path: /no/a: missing value',
  ],
  [
    { op: 'replace', path: '/list/5', value: 1 },
    'replace operation does not apply: doc is missing key: /list/5: missing value',
  ],
  [{ op: 'test', path: '/no/a', value: 1 }, 'test operation does not apply: is missing path: /no/a: missing value'],
  [{ op: 'test', path: '/list', value: 1 }, 'testing value /list failed'],
  [
    { op: 'copy', from: '/no/a', path: '/b' },
    'copy operation does not apply: doc is missing from path: /no/a: missing value',
  ],
  [
    { op: 'copy', from: '/list', path: '/no/a' },
    'copy operation does not apply: doc is missing destination path: /no/a: missing value',
  ],
  [
    { op: 'move', from: '/a', path: '/b' },
    "error in move for path: 'a': Unable to remove nonexistent key: a: missing value",
  ],
];

test.each(reasons)('applyJsonPatch() keeps why %j does not apply', (step, why) => {
  let cause: unknown;
  try {
    applyJsonPatch({ list: [0] }, [step], 'taken');
  } catch (error) {
    cause = (error as Error).cause;
  }
  expect(cause).toHaveProperty('message', why);
});

test('applyJsonPatch() agrees with a naive one that changes a clone, and changes no argument', () => {
  fc.assert(
    fc.property(object, fc.array(operation, { maxLength: 5 }), (document, patch) => {
      const [documentBefore, patchBefore] = [structuredClone(document), structuredClone(patch)];
      expect(outcome(() => applyJsonPatch(document, patch))).toEqual(outcome(() => naive(document, patch)));
      expect([document, patch]).toEqual([documentBefore, patchBefore]);
    }),
    { numRuns: 500 },
  );
});

/** What the RFC says, on a clone, one operation at a time and without any sharing. */
function naive(document: unknown, patch: { op: string; path: string; from?: string; value?: unknown }[]): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: walks any JSON
  let root: any = { root: structuredClone(document) };
  const split = (path: string) => ['root', ...path.split('/').slice(1)];
  const locate = (path: string) => {
    const keys = split(path);
    const last = keys.pop() as string;
    let container = root;
    for (const step of keys) {
      container = Array.isArray(container) && step === '-' ? undefined : container?.[step];
      if (typeof container !== 'object') throw new StatusError({ ...bare, code: 422 });
    }
    const present = Array.isArray(container)
      ? /^\d+$/.test(last) && Number(last) < container.length
      : last in container;
    return { container, last, present };
  };
  const fail = () => {
    throw new StatusError({ ...bare, code: 422 });
  };
  const put = (path: string, value: unknown) => {
    const { container, last } = locate(path);
    if (path === '') return fail();
    if (!Array.isArray(container)) container[last] = structuredClone(value);
    else if (last === '-') container.push(structuredClone(value));
    else if (/^\d+$/.test(last) && Number(last) <= container.length)
      container.splice(Number(last), 0, structuredClone(value));
    else fail();
  };
  const take = (path: string) => {
    const { container, last, present } = locate(path);
    if (!present || path === '') return fail();
    const value = container[last];
    if (Array.isArray(container)) container.splice(Number(last), 1);
    else delete container[last];
    return value;
  };
  for (const { op, path, from = '', value } of patch) {
    if (op === 'add') put(path, value);
    if (op === 'remove') take(path);
    if (op === 'move') put(path, take(from));
    if (op === 'replace') {
      if (!locate(path).present) fail();
      const { container, last } = locate(path);
      container[last] = structuredClone(value);
    }
    if (op === 'copy') {
      const { container, last, present } = locate(from);
      put(path, present && from !== '' ? container[last] : fail());
    }
    if (op === 'test') {
      const { container, last } = locate(path);
      expectSame(container[last], value, fail);
    }
  }
  if (typeof root.root !== 'object' || Array.isArray(root.root)) fail();
  root = root.root;
  return root;
}

const bare = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' } as const;

function expectSame(a: unknown, b: unknown, fail: () => void): void {
  const canonical = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(canonical)
      : typeof value === 'object' && value !== null
        ? Object.entries(value)
            .map(([k, v]) => [k, canonical(v)])
            .sort(([x], [y]) => ((x as string) < (y as string) ? -1 : 1))
        : value;
  if (JSON.stringify([canonical(a)]) !== JSON.stringify([canonical(b)]) || Array.isArray(a) !== Array.isArray(b))
    fail();
}

function outcome(run: () => unknown): unknown {
  try {
    return { ok: run() };
  } catch (error) {
    return { refused: error instanceof StatusError ? error.code : error };
  }
}

function refusalOf(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('was not refused');
}
