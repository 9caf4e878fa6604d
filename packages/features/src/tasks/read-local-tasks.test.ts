import { expect, test } from 'vitest';
import { readLocalTasks } from './read-local-tasks.js';

const template = { spec: { containers: [{ name: 'main', image: 'drain' }] } };

test('readLocalTasks() reads webhooks and jobs by name', () => {
  const document = {
    webhooks: { drain: { url: 'https://hooks.acme.example/drain', timeoutMs: 5_000 } },
    jobs: { archive: { namespace: 'ops', template } },
  };
  expect(readLocalTasks(document)).toEqual(document);
  expect(readLocalTasks({})).toEqual({ webhooks: {}, jobs: {} });
});

// document | what is said
test.each([
  [[], 'the configuration must have fields'],
  [{ hooks: {} }, 'there is no hooks; there are webhooks and jobs'],
  [{ webhooks: { a: { url: 'http://acme.example' } } }, 'webhooks.a.url must be an address that begins with https://'],
  [{ webhooks: { a: { url: 'https://acme.example', timeoutMs: 60_000 } } }, 'webhooks.a.timeoutMs must be between'],
  [{ jobs: { a: { template } } }, 'jobs.a.namespace is missing'],
  [{ jobs: { a: { namespace: 'ops', template: { spec: { containers: [] } } } } }, 'jobs.a.template.spec.containers'],
])('readLocalTasks() says what is wrong with %j', (document, said) => {
  expect(() => readLocalTasks(document)).toThrow(said);
});
