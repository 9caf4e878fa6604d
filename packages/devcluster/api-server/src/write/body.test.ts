import { admin, aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

// fields of a ConfigMap | type of the body | its problems, in order
test.each([
  ['"odd":1,"data":{"a":"1"},"data":{"a":"2"}', 'json', ['unknown field "odd"', 'duplicate field "data"']],
  ['"data":{"a":"1"},"odd":1,"data":{"a":"2"}', 'json', ['unknown field "odd"', 'duplicate field "data"']],
  ['"data":{"a":"1"},"data":{"a":"2"},"odd":1', 'json', ['duplicate field "data"', 'unknown field "odd"']],
  [
    '"odd":1,"data":{"a":"1","a":"2"},"last":1',
    'json',
    ['unknown field "odd"', 'duplicate field "data.a"', 'unknown field "last"'],
  ],
])('problems are reported in the order of the text: %s', async (fields, type, problems) => {
  const { api } = await aServer();
  const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},${fields}}`;
  const answer = await api.handle({
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps?fieldValidation=Strict',
    headers: { 'content-type': `application/${type}` },
    body: { bytes: Buffer.from(text) },
    user: admin,
  });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.payload)).toContain(
    JSON.stringify(`strict decoding error: ${problems.join(', ')}`).slice(1, -1),
  );
});
