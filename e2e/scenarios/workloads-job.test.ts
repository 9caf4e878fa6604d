import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { eventually, up } from '../support/slipway.js';

const job = (name: string, exit: string, more = '') => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name} }
spec:
  ${more}
  template:
    metadata: { annotations: { sim.slipway.dev/main: "${exit}" } }
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: registry.example/work:1 }]
`;

test('a Job runs to its end, another fails, and both can be waited for and looked at', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const kubectl = async (args: readonly string[], stdin = '') => {
    const done = await cluster.kubectl(args, { stdin });
    expect(done.code, `kubectl ${args.join(' ')}: ${done.stderr}`).toBe(0);
    return done.stdout;
  };
  await kubectl(['create', '-f', '-'], job('good', 'exit=0,after=100ms', 'completions: 3\n  parallelism: 2'));
  await kubectl(['wait', '--for=condition=complete', 'job/good', '--timeout=30s']);
  expect(await kubectl(['get', 'job', 'good'])).toMatch(/good +Complete +3\/3 /);
  expect(await kubectl(['describe', 'job', 'good'])).toMatch(/0 Active \(0 Ready\) \/ 3 Succeeded \/ 0 Failed/);

  await kubectl(['create', '-f', '-'], job('bad', 'exit=3,after=100ms', 'backoffLimit: 0'));
  await kubectl(['wait', '--for=condition=failed', 'job/bad', '--timeout=30s']);
  expect(await kubectl(['describe', 'job', 'bad'])).toContain('BackoffLimitExceeded');

  await kubectl(['create', 'job', 'typed', '--image=registry.example/work:1']);
  await kubectl(['delete', 'jobs', '--all', '--timeout=20s']);
  await eventually('the pods are gone', async () => (await kubectl(['get', 'pods', '-o', 'name'])) === '');
});
