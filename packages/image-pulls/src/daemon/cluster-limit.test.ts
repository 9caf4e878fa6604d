import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { adminOf } from '../config/pulls-settings.js';
import { testFolder } from '../testing/test-folder.js';
import { adminClient } from './admin-client.js';
import { serve } from './serve.js';

async function daemon(featureGates?: string) {
  const folder = testFolder();
  const listen = join(folder, 'image.sock');
  const flags = { runtime: join(folder, 'none.sock'), listen, limit: 4 };
  const serving = await serve({ flags, featureGates, log: () => {} });
  onTestFinished(() => serving.close());
  return adminClient(adminOf(listen));
}

test('the cluster sets a limit until it withdraws it, and a limit set by hand goes before it', async () => {
  const admin = await daemon();
  expect(await admin.state()).toMatchObject({ limit: 4, limitSource: 'configuration' });
  expect(await admin.setClusterLimit(2, 60_000)).toMatchObject({ limit: 2, limitSource: 'cluster' });
  expect(await admin.setLimit(3)).toMatchObject({ limit: 3, limitSource: 'manual' });
  expect(await admin.setClusterLimit(1, 60_000)).toMatchObject({ limit: 3, limitSource: 'manual' });
  await admin.reload();
  await expect.poll(admin.state).toMatchObject({ limit: 1, limitSource: 'cluster' });
  expect(await admin.withdrawClusterLimit()).toMatchObject({ limit: 4, limitSource: 'configuration' });
});

test('a limit of the cluster needs a time', async () => {
  const admin = await daemon();
  await expect(admin.setClusterLimit(2, Number.NaN)).rejects.toThrow('forMs is null');
  await expect(admin.setClusterLimit(-1, 60_000)).rejects.toThrow('0 to 10000');
});

test('a daemon whose gate is off takes no limit of the cluster', async () => {
  const admin = await daemon('ParallelImagePullLimit=false');
  await expect(admin.setClusterLimit(2, 60_000)).rejects.toThrow('the gate ParallelImagePullLimit is off');
  expect(await admin.state()).toMatchObject({ limit: 0 });
});
