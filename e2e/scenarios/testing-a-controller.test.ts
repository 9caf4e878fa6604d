import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../support/slipway.js';

test('the example of how to test a controller runs as its README says', async () => {
  const folder = fileURLToPath(new URL('../../examples/testing-a-controller/', import.meta.url));
  const done = await run(process.execPath, ['--test', folder]);
  expect(done, done.stdout).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/# pass 4\n/);
});
