import { expect, test } from 'vitest';
import { parseAmounts } from '../planner/amounts.js';
import { execActuator } from './exec-actuator.js';

const operation = {
  node: 'vm-1',
  providerID: 'lab://vm-1',
  operationID: 'op-1',
  from: parseAmounts({ cpu: '4', memory: '16Gi' }),
  to: parseAmounts({ cpu: '8', memory: '16Gi' }),
};
const longEnough = () => AbortSignal.timeout(20_000);

function program(script: string, env: Readonly<Record<string, string>> = {}) {
  return execActuator({ name: 'lab', resources: ['cpu'], command: [process.execPath, '-e', script], env });
}

test('a program is asked on stdin and answers on stdout', async () => {
  const echo = `
    let asked = '';
    process.stdin.on('data', (chunk) => { asked += chunk; }).on('end', () => {
      const { verb, node, operationID, from, to } = JSON.parse(asked);
      const message = [verb, node, operationID, from.cpu, to.cpu, to.memory].join(' ');
      console.log(JSON.stringify({ state: 'InProgress', granted: { cpu: '6' }, retryAfterSeconds: 2, message }));
    });`;
  expect(await program(echo).ensure(operation, longEnough())).toEqual({
    state: 'InProgress',
    granted: { cpu: 6000n },
    retryAfterMs: 2000,
    message: 'ensure vm-1 op-1 4 8 16Gi',
  });
});

test('a program sees PATH and what its configuration gives it, nothing of ours', async () => {
  process.env.SLIPWAY_SECRET_OF_THE_TEST = 'hidden';
  const tell = `console.log(JSON.stringify({ state: 'Done', message: Object.keys(process.env).sort().join(' ') }))`;
  const answer = await program(tell, { REGION: 'lab' }).observe(operation, longEnough());
  delete process.env.SLIPWAY_SECRET_OF_THE_TEST;
  expect(answer.message).toBe('PATH REGION');
});

test.each([
  ['fails', `console.error('no such machine'); process.exit(3)`, 'exit code 3: no such machine'],
  ['says nothing', '', 'the answer is not JSON: it is empty'],
  ['says something else', `console.log('ok')`, 'the answer is not JSON: ok'],
  [
    'names no state',
    `console.log('{}')`,
    'the answer has no state; it must be one of Done, InProgress, Failed, Unknown',
  ],
  [
    'grants what is not an amount',
    `console.log('{"state":"Done","granted":{"cpu":"many"}}')`,
    "granted: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ['never stops talking', `setInterval(() => process.stdout.write('x'.repeat(65536)))`, 'more than 1 MiB of output'],
])('a program that %s has told us nothing', async (_, script, why) => {
  const answer = await program(script).ensure(operation, longEnough());
  expect(answer.state).toBe('Unknown');
  expect(answer.message).toContain(why);
});

test('a program that is not done in time is killed', async () => {
  const end = new AbortController();
  const started = program(`process.stdout.write(' '); setInterval(() => {}, 1000)`).ensure(operation, end.signal);
  end.abort();
  expect(await started).toMatchObject({ state: 'Unknown', message: expect.stringContaining('out of time') });
});

test('a program that is not there has told us nothing', async () => {
  const gone = execActuator({ name: 'lab', resources: ['cpu'], command: ['/nowhere/resize'], env: {} });
  expect(await gone.observe(operation, longEnough())).toMatchObject({
    state: 'Unknown',
    message: expect.stringContaining('ENOENT'),
  });
});
