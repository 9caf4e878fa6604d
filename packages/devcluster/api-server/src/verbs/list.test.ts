import { aPod, aServer, named } from '@slipway/devcluster/testing/a-server';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const maps = '/api/v1/namespaces/default/configmaps';

test('pages put together are the list as it was when the first was read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 5 }), async (count, limit) => {
      const { ask } = await aServer();
      for (let index = 0; index < count; index++) await ask('POST', maps, named('ConfigMap', `c${index}`));
      const whole = (await ask('GET', maps)).body;
      const names: string[] = [];
      let next = '';
      do {
        const { body } = await ask('GET', `${maps}?limit=${limit}${next && `&continue=${next}`}`);
        names.push(...body.items.map((item: { metadata: { name: string } }) => item.metadata.name));
        expect(body.metadata.resourceVersion).toBe(whole.metadata.resourceVersion);
        expect(body.metadata.remainingItemCount ?? 0).toBe(count - names.length);
        next = body.metadata.continue ?? '';
        // What comes in between is not seen.
        await ask('POST', maps, named('ConfigMap', `c0-${names.length}`));
      } while (next !== '');
      expect(names).toEqual(whole.items.map((item: { metadata: { name: string } }) => item.metadata.name));
    }),
    { numRuns: 40 },
  );
});

test('a page of a list that is forgotten is 410, with a token that goes on in the present', async () => {
  const { ask, clock } = await aServer({ events: 2, ageMs: 1_000, bytes: 1 << 20 });
  for (const name of ['a', 'b', 'c', 'd']) await ask('POST', maps, named('ConfigMap', name));
  const first = await ask('GET', `${maps}?limit=1`);
  for (const name of ['e', 'f', 'g']) {
    await ask('POST', maps, named('ConfigMap', name));
    await clock.advance(5_000);
  }
  const second = await ask('GET', `${maps}?limit=1&continue=${first.body.metadata.continue}`);
  expect(second.body).toMatchObject({ code: 410, reason: 'Expired' });
  const rest = await ask('GET', `${maps}?continue=${second.body.metadata.continue}`);
  expect(rest.body.items.map((item: { metadata: { name: string } }) => item.metadata.name).join('')).toBe('bcdefg');
});

test('pages of a selection are as long as asked for and do not say what remains', async () => {
  const { ask } = await aServer();
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const labels = { odd: String('ace'.includes(name)) };
    await ask('POST', maps, { ...named('ConfigMap', name), metadata: { name, labels } });
  }
  const { body } = await ask('GET', `${maps}?labelSelector=odd%3Dtrue&limit=2`);
  expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['a', 'c']);
  expect(body.metadata.remainingItemCount).toBeUndefined();
  const rest = await ask('GET', `${maps}?labelSelector=odd%3Dtrue&limit=2&continue=${body.metadata.continue}`);
  expect(rest.body.items).toHaveLength(1);
  expect(rest.body.metadata.continue).toBeUndefined();
});

test('collections are deleted by selector, and what was deleted is shown', async () => {
  const { ask } = await aServer();
  for (const name of ['a', 'b', 'c']) {
    await ask('POST', maps, {
      ...named('ConfigMap', name),
      metadata: { name, labels: { keep: String(name === 'b') } },
    });
  }
  const { body } = await ask('DELETE', `${maps}?labelSelector=keep%3Dfalse`);
  expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['a', 'c']);
  expect((await ask('GET', maps)).body.items).toHaveLength(1);
});

test('one table shows all columns of a list, and what it includes of the objects', async () => {
  const { ask } = await aServer();
  await ask('POST', maps, named('ConfigMap', 'a', { data: { x: 'y' } }));
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const shown = async (include: string) =>
    (await ask('GET', `${maps}?includeObject=${include}`, undefined, { accept })).body.rows[0];
  expect((await shown('')).object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
  expect((await shown('Object')).object).toMatchObject({ kind: 'ConfigMap', data: { x: 'y' } });
  expect((await shown('None')).object).toBeNull();
  expect((await shown('None')).cells).toEqual(['a', 1, '0s']);
});

test('YAML is read and written', async () => {
  const { ask } = await aServer();
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n';
  const created = await ask('POST', maps, text, { 'content-type': 'application/yaml', accept: 'application/yaml' });
  expect(created).toMatchObject({ status: 201, headers: { 'content-type': 'application/yaml' } });
  expect(created.body).toContain('kind: ConfigMap\n');
  const bad = await ask('POST', maps, 'a: [', { 'content-type': 'application/yaml' });
  expect(bad.body).toMatchObject({ code: 400, reason: 'BadRequest' });
});

const podStep = fc.record({
  what: fc.constantFrom('create', 'create on n1', 'bind to n1', 'bind to n2', 'label', 'delete', 'look'),
  name: fc.constantFrom('a', 'b', 'c'),
  namespace: fc.constantFrom('default', 'other'),
});

test('the pods of a node are those that say so, whatever became of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(podStep, { maxLength: 30 }), async (story) => {
      const { ask } = await aServer();
      await ask('POST', '/api/v1/namespaces', named('Namespace', 'other'));
      const names = (body: { items: { metadata: { namespace: string; name: string } }[] }) =>
        body.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
      for (const { what, name, namespace } of [...story, { what: 'look', name: '', namespace: 'default' }]) {
        const pods = `/api/v1/namespaces/${namespace}/pods`;
        if (what === 'create') await ask('POST', pods, aPod(name));
        if (what === 'create on n1') await ask('POST', pods, aPod(name, { nodeName: 'n1' }));
        if (what.startsWith('bind')) {
          const target = { apiVersion: 'v1', kind: 'Node', name: what.slice(-2) };
          await ask('POST', `${pods}/${name}/binding`, named('Binding', name, { target }));
        }
        if (what === 'label') {
          const headers = { 'content-type': 'application/merge-patch+json' };
          await ask('PATCH', `${pods}/${name}`, { metadata: { labels: { seen: 'yes' } } }, headers);
        }
        if (what === 'delete') await ask('DELETE', `${pods}/${name}?gracePeriodSeconds=0`);
        if (what !== 'look') continue;
        for (const path of ['/api/v1/pods', pods]) {
          const all = (await ask('GET', path)).body;
          const onN1 = all.items.filter((pod: { spec: { nodeName?: string } }) => pod.spec.nodeName === 'n1');
          const { body } = await ask('GET', `${path}?fieldSelector=spec.nodeName%3Dn1`);
          expect(names(body)).toEqual(names({ items: onN1 }));
          expect(body.items).toEqual(onN1);
          expect(body.metadata.resourceVersion).toBe(all.metadata.resourceVersion);
        }
      }
    }),
    { numRuns: 40 },
  );
});
