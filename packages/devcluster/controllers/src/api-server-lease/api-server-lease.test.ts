import { expect, test } from 'vitest';
import { apiServerLeaseName } from './api-server-lease.js';

test('apiServerLeaseName() has the form and length that Kubernetes gives it', () => {
  expect(apiServerLeaseName('host')).toMatch(/^apiserver-[a-z2-7]{26}$/);
  expect(apiServerLeaseName('host')).not.toBe(apiServerLeaseName('other'));
});
