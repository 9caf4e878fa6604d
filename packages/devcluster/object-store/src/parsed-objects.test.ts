import { type KubeObject, stringifyJson } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ParsedObjects } from './parsed-objects.js';

test('without managed fields an object says what it said, whatever else it holds', () => {
  const parsed = new ParsedObjects();
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.boolean(), (spec, labels, isOwned) => {
      const metadata = { name: 'a', labels, ...(isOwned && { managedFields: [{ manager: 'm' }] }) };
      const object = JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));
      const lean = parsed.lean(JSON.stringify(object));
      const { managedFields: _, ...rest } = object.metadata;
      expect(stringifyJson(lean)).toBe(stringifyJson({ ...object, metadata: rest }));
      expect(Object.isFrozen(lean)).toBe(true);
    }),
  );
});

test('a field with the name of the prototype stays a field', () => {
  const data = '{"__proto__":{"a":{"b":1}},"c":{"__proto__":{"d":2}}}';
  const lean = new ParsedObjects().lean(`{"apiVersion":"v1","kind":"X","metadata":{},"data":${data}}`);
  expect(JSON.stringify((lean as KubeObject & { data: unknown }).data)).toBe(data);
});

test('what two objects have alike is there once', () => {
  const parsed = new ParsedObjects();
  const [one, other] = ['a', 'b'].map((name) => parsed.lean(JSON.stringify(aPod(name))) as ReturnType<typeof aPod>);
  expect(one?.spec.tolerations).toBe(other?.spec.tolerations);
  expect(one?.spec.containers[0]?.resources).toBe(other?.spec.containers[0]?.resources);
  expect(one?.spec.containers).not.toBe(other?.spec.containers);
});

test('an object has the metadata that was read before it', () => {
  const parsed = new ParsedObjects();
  const pod = { ...aPod('a'), metadata: { name: 'a', labels: { app: 'x' }, managedFields: [{ manager: 'm' }] } };
  const metadata = parsed.leanMetadata(pod.metadata);
  expect(metadata).toEqual({ name: 'a', labels: { app: 'x' } });
  expect(parsed.lean(JSON.stringify(pod), metadata).metadata).toBe(metadata);
});

function aPod(name: string) {
  const resources = { requests: { cpu: '1' } };
  const tolerations = [{ key: 'k', operator: 'Exists' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name, resources }], tolerations },
  };
}
