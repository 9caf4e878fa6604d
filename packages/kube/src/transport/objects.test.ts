import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { ObjectNameError, pathOf } from './objects.js';
import type { KubeRequest } from './transport.js';

const accounts = { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
const hostile = fc.oneof(
  fc.constantFrom('', '.', '..', '%2e%2e', '../..', 'a/../../b', '..;', '?a', '#a', '\\..\\', 'a\0', '%2F', '. .'),
  fc.string({
    unit: fc.constantFrom('.', '/', '%', '2', 'e', 'E', 'F', '\\', '?', '#', ';', ' ', '\t', '\n', 'a', 'ö'),
  }),
  fc.string(),
);

test('pathOf() leads to the object of that name and nowhere else, or throws, whatever the name is', () => {
  fc.assert(
    fc.property(hostile, hostile, (namespace, name) => {
      let path: string;
      try {
        path = pathOf(accounts, namespace, name);
      } catch (error) {
        const isName = ['', '.', '..'].includes(name) || ['.', '..'].includes(namespace);
        expect(isName && error instanceof ObjectNameError).toBe(true);
        return;
      }
      const { pathname, search, hash } = new URL(`https://api.example${path}`);
      const scope = namespace === '' ? [] : ['namespaces', namespace];
      const segments = pathname.split('/').slice(1).map(decodeURIComponent);
      expect(segments).toEqual(['api', 'v1', ...scope, 'serviceaccounts', name]);
      expect([search, hash]).toEqual(['', '']);
    }),
  );
});

test('a client sends nothing for a name that leads elsewhere, and finds no object of that name', async () => {
  const sent: KubeRequest[] = [];
  const kube = new Kube({
    async request(request) {
      sent.push(request);
      return { status: 200, headers: {}, body: {} };
    },
    stream: () => {
      throw new Error('no watch');
    },
  });
  const client = kube.resource(accounts);
  for (const ref of [
    { namespace: 'a', name: '..' },
    { namespace: '..', name: 'a' },
    { namespace: 'a', name: '' },
  ]) {
    expect(await client.find(ref)).toBeUndefined();
    await expect(client.get(ref)).rejects.toThrow(ObjectNameError);
    await expect(client.delete(ref)).rejects.toThrow(ObjectNameError);
    await expect(client.merge(ref, {})).rejects.toThrow(ObjectNameError);
  }
  expect(sent).toEqual([]);
});
