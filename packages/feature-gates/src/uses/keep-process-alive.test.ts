import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** The built package: Node runs it as a program of a user does. */
const index = new URL('../../dist/index.js', import.meta.url);

/** Starts reporting to an API server without a socket, so that nothing but our timers can keep the process alive. */
const reporting = `
  import { createFeatureGate } from ${JSON.stringify(index.href)};
  const gate = createFeatureGate({ component: 'web', version: '1.34' });
  gate.add({ Fast: { stage: 'Beta', default: false } });
  gate.declareAtStart('Fast');
  const options = { namespace: 'shop', instance: 'web-1', dynamicFeatures: ['Fast'], log: () => {} };
`;

async function outputOf(code: string): Promise<string> {
  const program = ['--input-type=module', '-e', reporting + code];
  return (await promisify(execFile)(process.execPath, program)).stdout;
}

test('sync() keeps the process alive while the API server refuses connections', async () => {
  const output = await outputOf(`
    const request = async () => { throw new Error('connection refused'); };
    gate.startReporting({ ...options, transport: { request } });
    console.log(await gate.sync({ timeoutMs: 20 }));
  `);
  expect(output).toBe('false\n');
});

test('a gate that is not awaited does not keep the process alive', async () => {
  const output = await outputOf(`
    const request = async () => { throw new Error('connection refused'); };
    gate.startReporting({ ...options, transport: { request } });
    console.log('end');
  `);
  expect(output).toBe('end\n');
});
