import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { slipway, up } from '../support/slipway.js';

const manifest = fileURLToPath(new URL('../../examples/kep-961/stateful-sets.yaml', import.meta.url));

describe('slipway dev data', () => {
  test('verify reads the data of a running and of a stopped cluster, and names what is damaged', async (context) => {
    needs(context, 'kubectl');
    await using cluster = await up({ nodes: 1 });
    const data = join(cluster.dataDir, 'data');
    const verify = () => slipway(['dev', 'data', 'verify', '--data-dir', data, '-o', 'json']);
    await cluster.kubectl(['create', 'configmap', 'precious', '--from-literal=text=marked-a']);
    const running = await verify();
    expect(running, running.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(running.stdout)).toMatchObject({ damage: [], objects: { nodes: 1 } });

    await cluster.stop();
    expect((await slipway(['dev', 'data', 'verify', '--data-dir', data])).stdout).toMatch(/is sound: \d+ objects/);
    const store = join(data, 'store.mdb');
    const bytes = readFileSync(store);
    for (let at = bytes.indexOf('marked-a'); at >= 0; at = bytes.indexOf('marked-a', at + 1))
      bytes.write('marked-b', at);
    writeFileSync(store, bytes);
    const damaged = await verify();
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toMatch(/record \d+, about configmaps\/default\/precious: its checksum/);
    expect(damaged.stderr).toContain('To fix: stop the cluster and restore');
    expect(JSON.parse(damaged.stdout).damage).not.toEqual([]);
    const refused = await slipway(['dev', 'data', 'export', '--data-dir', data]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('To fix: see all that is damaged with: slipway dev data verify');
  });

  test('export prints what kubectl applies to another cluster', async (context) => {
    needs(context, 'kubectl');
    await using cluster = await up({ nodes: 1 });
    await cluster.kubectl(['create', 'namespace', 'team']);
    await cluster.kubectl([
      '-n',
      'team',
      'create',
      'deployment',
      'web',
      '--image=registry.example/web:1',
      '--replicas=2',
    ]);
    await cluster.kubectl(['-n', 'team', 'expose', 'deployment', 'web', '--port=80']);
    await cluster.kubectl(['-n', 'team', 'create', 'job', 'once', '--image=registry.example/job:1']);
    await cluster.kubectl(['apply', '-f', manifest]);
    const from = ['dev', 'data', 'export', '--data-dir', join(cluster.dataDir, 'data')];
    const exported = await slipway(from);
    expect(exported, exported.stderr).toMatchObject({ code: 0 });
    expect(exported.stdout).not.toMatch(
      /^ {2}(resourceVersion|uid|creationTimestamp): |^kind: (Pod|Node|Event|ReplicaSet|FlowSchema|PriorityClass|StorageClass)$/m,
    );
    const named = await slipway([...from, '-n', 'team', '-o', 'name']);
    expect(named.stdout.split('\n').filter(Boolean).sort()).toEqual(['deployment/web', 'job/once', 'service/web']);
    const one = await slipway([...from, '--kind', 'deployment', '-o', 'json']);
    expect(JSON.parse(one.stdout).items).toMatchObject([{ kind: 'Deployment', spec: { replicas: 2 } }]);
    expect(await slipway([...from, '-n', 'nowhere'])).toMatchObject({ code: 1, stdout: '' });

    await using other = await up({ nodes: 1, args: ['--ephemeral'] });
    const applied = await other.kubectl(['apply', '-f', '-'], { stdin: exported.stdout });
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    const web = await other.kubectl(['-n', 'team', 'rollout', 'status', 'deployment/web', '--timeout=30s']);
    expect(web.stdout).toContain('successfully rolled out');
    // Without a folder it is the cluster that kubectl talks to, and that one keeps nothing in a folder.
    for (const verb of ['verify', 'export']) {
      const refused = await slipway(['dev', 'data', verb], { env: { KUBECONFIG: other.kubeconfig } });
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('is ephemeral: what it keeps'),
      });
    }
  });

  test.each([
    ['a folder that is not there', '/nonexistent/data', /\/nonexistent\/data is not a data directory/],
    ['a folder of something else', '/usr', /\/usr is not empty and not a data directory/],
  ])('%s is refused', async (_what, path, message) => {
    for (const verb of ['verify', 'export']) {
      const refused = await slipway(['dev', 'data', verb, '--data-dir', path]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(message);
      expect(refused.stderr).toContain('To fix:');
    }
  });
});
