import { parseYaml } from '@slipway/safe-yaml';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { upAlone } from '../support/slipway.js';

test('what is done to a local cluster is told to programs in JSON and YAML', async () => {
  await using cluster = await upAlone({ nodes: 2, args: ['--ephemeral', '--name', 'told'] });
  const json = async (...words: string[]) => {
    const done = await cluster.slipway([...words, '-o', 'json']);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    return JSON.parse(done.stdout);
  };
  expect(await json('dev', 'node', 'partition', 'n1')).toEqual({ node: 'n1', state: 'CutOff' });
  expect(await json('dev', 'node', 'start', 'n1')).toEqual({ node: 'n1', state: 'Running' });
  expect(await json('dev', 'node', 'resize', 'n2', '--cpu', '16')).toEqual({ node: 'n2', capacity: { cpu: '16' } });
  expect(await json('dev', 'component', 'restart', 'kube-scheduler')).toMatchObject([
    { component: 'kube-scheduler', featureGates: '' },
  ]);
  const listed = await cluster.slipway(['dev', 'server', 'list', '-o', 'yaml']);
  expect(parseYaml(listed.stdout)).toMatchObject([{ number: 1, state: 'Running', version: '1.37' }]);
  const status = await cluster.slipway(['status', '--name', 'told', '-o', 'yaml']);
  expect(parseYaml(status.stdout)).toMatchObject([{ name: 'told', nodes: 2 }]);
  const nothing = await cluster.slipway(['dev', 'node', 'resize', 'n2']);
  expect(nothing).toMatchObject({ code: 2, stdout: '' });

  const ended = new Promise((resolve) => cluster.process.once('exit', resolve));
  expect(await json('down', '--name', 'told')).toMatchObject({ name: 'told', pid: cluster.process.pid });
  expect(await ended).toBe(0);
});

test('of two clusters started at once on one data directory exactly one runs', async () => {
  const folder = testFolder();
  const start = () => upAlone({ nodes: 1, dataDir: folder });
  const outcomes = await Promise.allSettled([start(), start()]);
  const running = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
  for (const cluster of running) expect(await cluster.end('SIGTERM')).toBe(0);
  expect(running).toHaveLength(1);
  // The one that begins later finds the name of the other, or only its socket.
  expect(refused).toEqual([
    expect.stringMatching(/ended with 1 before .*is already (?:running \(pid \d+|in use by another process)/s),
  ]);
});
