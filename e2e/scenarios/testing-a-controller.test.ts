import { expect, test } from 'vitest';
import { run } from '../support/slipway.js';
import { testOfExample } from '../support/test-of-example.js';

test('the example of how to test a controller runs as its README says', async () => {
  const done = await run(process.execPath, ['--test', testOfExample('testing-a-controller')]);
  expect(done, done.stdout).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/# pass 4\n/);
});
