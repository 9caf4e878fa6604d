import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { up } from '../support/slipway.js';

test('with --audit-log every request is on record: who, what, and how it was answered', async (context) => {
  needs(context, 'kubectl');
  const path = join(tmpdir(), `slipway-audit-${process.pid}.log`);
  try {
    await using cluster = await up({ nodes: 1, args: ['--ephemeral', '--audit-log', path] });
    await cluster.kubectl(['create', 'configmap', 'kept']);
    await cluster.kubectl(['--as', 'jane', 'delete', 'configmap', 'kept']);
    await cluster.stop();

    const events = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ objectRef }) => objectRef?.resource === 'configmaps' && objectRef.namespace === 'default');
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        verb: 'create',
        user: expect.objectContaining({ groups: expect.arrayContaining(['system:masters']) }),
        responseStatus: { code: 201 },
      }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        verb: 'delete',
        impersonatedUser: expect.objectContaining({ username: 'jane' }),
        objectRef: expect.objectContaining({ name: 'kept' }),
        responseStatus: { code: 403 },
      }),
    );
  } finally {
    rmSync(path, { force: true });
  }
});
