import { expect, test } from 'vitest';
import { readLocalTasks } from './read-local-tasks.js';

const template = { spec: { containers: [{ name: 'main', image: 'drain' }] } };

test('readLocalTasks() reads webhooks, jobs and analyses by name', () => {
  const document = {
    webhooks: { drain: { url: 'https://hooks.acme.example/drain', timeoutMs: 5_000 } },
    jobs: { archive: { namespace: 'ops', template } },
    analyses: {
      errors: { promQL: { url: 'http://prometheus:9090', query: 'sum(rate(errors[1m]))' } },
      latency: { webhook: { url: 'https://hooks.acme.example/latency' } },
    },
  };
  expect(readLocalTasks(document)).toEqual(document);
  expect(readLocalTasks({})).toEqual({ webhooks: {}, jobs: {}, analyses: {} });
});

// document | what is said
test.each([
  [[], 'the configuration must have fields'],
  [{ hooks: {} }, 'there is no hooks; there are webhooks, jobs and analyses'],
  [{ webhooks: { a: { url: 'http://acme.example' } } }, 'webhooks.a.url must be an address that begins with https://'],
  [{ webhooks: { a: { url: 'https://acme.example', timeoutMs: 60_000 } } }, 'webhooks.a.timeoutMs must be between'],
  [{ jobs: { a: { template } } }, 'jobs.a.namespace is missing'],
  [{ jobs: { a: { namespace: 'ops', template: { spec: { containers: [] } } } } }, 'jobs.a.template.spec.containers'],
  [{ analyses: { a: {} } }, 'analyses.a must have either webhook or promQL'],
  [{ analyses: { a: { promQL: { url: 'prometheus:9090', query: 'up' } } } }, 'analyses.a.promQL.url must be an http'],
  [{ analyses: { a: { promQL: { url: 'http://p', query: '' } } } }, 'analyses.a.promQL.query is missing'],
])('readLocalTasks() says what is wrong with %j', (document, said) => {
  expect(() => readLocalTasks(document)).toThrow(said);
});
