import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultPullsSettings } from '../config/pulls-settings.js';
import { startPullDaemon } from '../daemon/pull-daemon.js';
import { eventually } from '../testing/eventually.js';
import { fakeRuntime } from '../testing/fake-runtime.js';
import { testFolder } from '../testing/test-folder.js';
import { CriImageService } from './cri-image-service.js';

test('CriImageService notices by itself when a limiter comes before the runtime, and goes', async () => {
  const folder = testFolder();
  const [path, behind] = [join(folder, 'image.sock'), join(folder, 'runtime.sock')];
  const runtime = await fakeRuntime(behind);
  onTestFinished(() => runtime.kill());
  const signal = new AbortController().signal;
  const service = new CriImageService({ path });
  onTestFinished(() => service.close());
  await expect(service.supportsOption(signal)).rejects.toThrow('code = Unavailable');

  const plain = await fakeRuntime(path);
  expect(await service.supportsOption(signal)).toBe(false);
  await plain.kill();
  const settings = { ...defaultPullsSettings, listen: path, runtime: behind };
  const limiter = await startPullDaemon({ settings, limit: 1 });
  onTestFinished(() => limiter.close());
  await eventually('the limiter is ready', () => limiter.state().runtimeUp);
  await eventually('it is noticed', async () => await service.supportsOption(signal).catch(() => false));
});

test('CriImageService shows errors as a kubelet does', async () => {
  const folder = testFolder();
  const runtime = await fakeRuntime(join(folder, 'runtime.sock'));
  onTestFinished(() => runtime.kill());
  const service = new CriImageService({ path: join(folder, 'runtime.sock') });
  onTestFinished(() => service.close());
  const signal = new AbortController().signal;
  const pull = () => {
    const request = { image: 'a:1', auth: undefined, sandbox: { name: 'p', uid: 'u', namespace: 'n' } };
    return service.pullImage({ ...request, maxParallelImagePulling: undefined }, signal);
  };
  const first = pull();
  const unknown = expect(first).rejects.toThrow(/^TooManyPullingInParallelErr: busy$/);
  await eventually('it came', () => runtime.pulls.length === 1);
  runtime.pulls[0]?.fail(2, 'TooManyPullingInParallelErr: busy');
  await unknown;
  const second = pull();
  const notFound = expect(second).rejects.toThrow(/^rpc error: code = NotFound desc = no such image$/);
  await eventually('it came', () => runtime.pulls.length === 2);
  runtime.pulls[1]?.fail(5, 'no such image');
  await notFound;
});
