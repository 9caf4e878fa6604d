import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { needs } from '../../tools/real-parts.js';
import { slipway, slipwayProgram, up, upAlone } from '../support/slipway.js';

describe('slipway up refuses, in one line, before it touches anything', () => {
  const cases: [string, string[], RegExp][] = [
    ['a number of nodes below one', ['--nodes', '0'], /--nodes.*0/],
    ['nodes that are no number', ['--nodes', 'three'], /--nodes.*three/],
    ['a port out of range', ['--port', '70000'], /--port.*70000/],
    ['memory that is not a quantity', ['--node-memory', '8 GB'], /8 GB.*quantity.*8Gi/],
    ['a negative cpu', ['--node-cpu', '-1'], /--node-cpu|-1/],
    ['a gate of a component that there is not', ['--component-gates', 'kube-proxy:A=true'], /kube-proxy/],
    ['a gate that the component does not know', ['--component-gates', 'kube-apiserver:Nope=true'], /Nope/],
    [
      'a gate without a value',
      ['--component-gates', 'kube-apiserver:MaxUnavailableStatefulSet'],
      /MaxUnavailableStatefulSet/,
    ],
    ['a name that is no DNS label', ['--name', 'My Cluster'], /My Cluster/],
    ['a format it does not have', ['-o', 'xml'], /xml/],
    ['a flag it does not have', ['--nodse', '3'], /--nodse/],
    ['an audit log that cannot be opened', ['--audit-log', '/nowhere/audit.log'], /--audit-log \/nowhere\/audit.log/],
    ['a word too many', ['please'], /argument/],
  ];
  test.each(cases)('%s', async (_, args, says) => {
    const data = join(testFolder(), 'data');
    const done = await slipway(['up', '--kubeconfig', join(data, 'kubeconfig'), '--data-dir', data, ...args], {
      timeoutMs: 15_000,
    });
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(says);
    expect(done.stderr).toContain('To fix:');
    expect(done.stdout).toBe('');
    expect(() => readdirSync(data)).toThrow();
  });

  test('a port in use', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    const { port } = busy.address() as { port: number };
    const at = testFolder();
    const done = await slipway([
      'up',
      '--port',
      String(port),
      '--data-dir',
      join(at, 'data'),
      '--kubeconfig',
      join(at, 'k'),
    ]);
    busy.close();
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(new RegExp(`port ${port} is in use`));
  });

  test('no port, and takes a free one when the usual one is in use', async () => {
    const busy = createServer().listen(6443, '127.0.0.1');
    // Whoever else has it does as well.
    await new Promise((resolve) => busy.once('listening', resolve).once('error', resolve));
    await using cluster = await up({ nodes: 1, args: ['--ephemeral'], isOnUsualPort: true });
    busy.close();
    expect(cluster.url).not.toBe('https://127.0.0.1:6443');
    expect(await cluster.slipway(['status'])).toMatchObject({ code: 0 });
  });

  test('a data directory of a newer version, which stays as it was', async () => {
    const data = join(testFolder(), 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'VERSION'), JSON.stringify({ format: 999, createdBy: '9.0.0', openedBy: '9.0.0' }));
    const done = await slipway(['up', '--port', '0', '--data-dir', data, '--kubeconfig', join(data, '..', 'k')]);
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(/999|newer/);
    expect(readdirSync(data)).toEqual(['VERSION']);
  });

  test('a kubeconfig that cannot be read', async () => {
    const at = testFolder();
    const kubeconfig = join(at, 'kubeconfig');
    writeFileSync(kubeconfig, '{'.repeat(20_000));
    chmodSync(kubeconfig, 0o600);
    const done = await slipway(['feature', 'list'], { env: { KUBECONFIG: kubeconfig } });
    expect(done.code).toBe(2);
    expect(done.stderr.split('\n').length).toBeLessThan(5);
  });

  test('a cluster that is away', async () => {
    const at = testFolder();
    const kubeconfig = join(at, 'kubeconfig');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'gone', cluster: { server: 'https://127.0.0.1:9' } }],
      users: [{ name: 'me', user: { token: 'x' } }],
      contexts: [{ name: 'gone', context: { cluster: 'gone', user: 'me' } }],
      'current-context': 'gone',
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    const done = await slipway(['feature', 'list'], { env: { KUBECONFIG: kubeconfig } });
    expect(done.code).toBe(4);
    expect(done.stderr).toMatch(/cannot reach the cluster/);
  });
});

describe('a running cluster', () => {
  test('refuses a second up on its data directory, naming the first', async () => {
    await using cluster = await upAlone({ nodes: 1 });
    const second = await slipway([
      'up',
      '--port',
      '0',
      '--data-dir',
      join(cluster.dataDir, 'data'),
      '--kubeconfig',
      join(cluster.dataDir, 'k2'),
    ]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`pid ${cluster.process.pid}`);
  });

  test('reads large YAML beside its own work, and takes no more of it than it does of JSON', async () => {
    await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
    const create = sender(cluster.kubeconfig, '/api/v1/namespaces/default/configmaps', 'application/yaml');
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `  k${index}: v`).join('\n');
    const of = (name: string, data: string) => `kind: ConfigMap\nmetadata: {name: ${name}}\ndata:\n${data}\n`;
    const made = await create(of('large', keys(5_000)));
    expect([made.code, Object.keys(made.body.data).length]).toEqual([201, 5_000]);
    const [many, broken] = await Promise.all([create(of('many', keys(100_001))), create(of('x', `${keys(5_000)}\n]`))]);
    expect([many.code, broken.code]).toEqual([400, 400]);
    expect(many.body.message).toContain('more than 100000 keys, elements and lines');
    expect(broken.body.message).toMatch(/error converting YAML to JSON: yaml: line \d+/);
  });

  test('answers hostile bodies with a Status', async (context) => {
    needs(context, 'kubectl');
    await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
    const create = async (stdin: string) =>
      await cluster.kubectl(['create', '--raw', '/api/v1/namespaces/default/configmaps', '-f', '-'], { stdin });
    const cases: [string, RegExp][] = [
      ['['.repeat(10_000), /BadRequest|depth|nest|invalid|unexpected/i],
      ['{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"Not A Name"}}', /Invalid value: "Not A Name"/],
      [
        '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},"data":{"a":1}}',
        /BadRequest|cannot unmarshal|json:/i,
      ],
      ['{"kind":"ConfigMap"', /BadRequest|unexpected/i],
      [
        `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"big"},"data":{"a":"${'x'.repeat(3_200_000)}"}}`,
        /too large|limit/i,
      ],
    ];
    for (const [body, says] of cases) {
      const refused = await create(body);
      expect(refused.code).not.toBe(0);
      expect(`${refused.stderr}${refused.stdout}`).toMatch(says);
    }
    const unknown = await cluster.slipway(['feature', 'on', 'NoSuchGate', '--yes']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('NoSuchGate');
    expect((await cluster.kubectl(['get', 'configmaps', '-o', 'name'])).stdout).not.toMatch(/deep|big|x$/);
  });
});

/** Sends bodies as they are, as the administrator whose kubeconfig it is. */
function sender(kubeconfig: string, path: string, type: string) {
  const text = readFileSync(kubeconfig, 'utf8');
  const server = /server: "?([^\s"]+)/.exec(text)?.[1] ?? '';
  const inline = (key: string) =>
    Buffer.from(new RegExp(`${key}: "?([A-Za-z0-9+/=]+)`).exec(text)?.[1] ?? '', 'base64');
  const tls = {
    ca: inline('certificate-authority-data'),
    cert: inline('client-certificate-data'),
    key: inline('client-key-data'),
  };
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server said
  return (body: string): Promise<{ code: number; body: any }> =>
    new Promise((resolve, reject) => {
      const options = { method: 'POST', headers: { 'content-type': type }, ...tls };
      const asked = request(`${server}${path}`, options, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        resolve({ code: answer.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
      });
      asked.once('error', reject);
      asked.end(body);
    });
}

test('a reader that goes away, as head does, ends a command without a word', async () => {
  const child = spawn(process.execPath, [slipwayProgram, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 141 });
});
