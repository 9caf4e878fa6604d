import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { type RunningCluster, up } from '../support/slipway.js';

/** Texts that kubectl prints are those of kubectl 1.32 against a real API server; unverified for other versions. */
const applied = 'deployment.apps/web serverside-applied\n';
const serverSide = ['apply', '--server-side', '-f', '-'];

interface Wanted {
  readonly replicas?: number;
  readonly image?: string;
  readonly env?: readonly string[];
}

function manifest({ replicas, image = 'web:1', env = [] }: Wanted): string {
  const variables = env.map((name) => ({ name, value: '1' }));
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image, ...(variables.length > 0 && { env: variables }) }] },
      },
    },
  });
}

async function owners(cluster: RunningCluster): Promise<Record<string, string>> {
  const { stdout } = await cluster.kubectl(['get', 'deploy', 'web', '-o', 'json', '--show-managed-fields']);
  const entries: { manager: string; operation: string; subresource?: string; fieldsV1: unknown }[] =
    JSON.parse(stdout).metadata.managedFields;
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter(Boolean).join(' '),
      JSON.stringify(fieldsV1),
    ]),
  );
}

test('kubectl applies on the server: owners, conflicts, force, and fields that go', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const apply = (args: readonly string[], wanted: Wanted) =>
    cluster.kubectl([...serverSide, ...args], { stdin: manifest(wanted) });
  expect(await apply([], { replicas: 1, env: ['A', 'B'] })).toMatchObject({ code: 0, stdout: applied });

  // Another client scales, and the applier of the number is reported.
  expect((await cluster.kubectl(['scale', 'deploy', 'web', '--replicas=2'])).code).toBe(0);
  const refused = await apply(['--field-manager=ops'], { replicas: 3, image: 'web:2' });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/Apply failed with 2 conflicts: conflicts with "kubectl":/);
  expect(refused.stderr).toContain('- .spec.template.spec.containers[name="web"].image');
  expect(refused.stderr).toContain(
    'conflicts with "kubectl" with subresource "scale" using apps/v1:\n- .spec.replicas',
  );
  const forced = await apply(['--field-manager=ops', '--force-conflicts'], { replicas: 3, image: 'web:2' });
  expect(forced).toMatchObject({ code: 0, stdout: applied });
  const now = await owners(cluster);
  expect(now['ops Apply']).toContain('"f:replicas":{}');
  expect(now['kubectl Apply']).not.toContain('"f:image":{}');
  expect(now['kube-controller-manager Update status']).toContain('"f:readyReplicas"');

  // What a manifest no longer has is removed; what it shares with others stays.
  expect(await apply([], { image: 'web:2', env: ['B'] })).toMatchObject({ code: 0 });
  const env = ['get', 'deploy', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].env[*].name}'];
  expect((await cluster.kubectl(env)).stdout).toBe('B');
  expect((await cluster.kubectl(['get', 'deploy', 'web', '-o', 'yaml'])).stdout).not.toContain('managedFields');

  const diff = await cluster.kubectl(['diff', '--server-side', '-f', '-'], {
    stdin: manifest({ env: ['B', 'C'], image: 'web:2' }),
  });
  expect(diff.code).toBe(1);
  expect(diff.stdout).toMatch(/^\+ +- name: C$/m);
  expect((await cluster.kubectl(env)).stdout).toBe('B');
});

test('kubectl moves from applying on its own to applying on the server, and removes what it set before', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const first = manifest({ replicas: 1, env: ['A', 'B'] });
  expect((await cluster.kubectl(['apply', '-f', '-'], { stdin: first })).code).toBe(0);
  expect(Object.keys(await owners(cluster))).toContain('kubectl-client-side-apply Update');

  const moved = await cluster.kubectl(serverSide, { stdin: manifest({ replicas: 2, env: ['B'] }) });
  expect(moved).toMatchObject({ code: 0, stdout: applied });
  const { 'kubectl Apply': kubectl = '', 'kubectl-client-side-apply Update': before } = await owners(cluster);
  expect(kubectl).toContain('"f:replicas":{}');
  expect(before).toBeUndefined();
  const fewer = await cluster.kubectl(serverSide, { stdin: manifest({ replicas: 2 }) });
  expect(fewer.code).toBe(0);
  const { stdout } = await cluster.kubectl(['get', 'deploy', 'web', '-o', 'json']);
  expect(JSON.parse(stdout).spec.template.spec.containers[0].env).toBeUndefined();

  const custom = [
    'patch',
    'deploy',
    'web',
    '--type=json',
    '-p',
    '[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]',
  ];
  expect((await cluster.kubectl(custom)).code).toBe(0);
  const again = await cluster.kubectl([...serverSide, '--field-manager=ops'], { stdin: manifest({ replicas: 5 }) });
  expect(again.stderr).toContain('conflict with "before-first-apply" using apps/v1: .spec.replicas');
});
