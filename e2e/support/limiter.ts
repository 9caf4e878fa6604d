import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminOf } from '@slipway/image-pulls';
import { serve } from '@slipway/image-pulls/serve';
import { criClient, type FakeRuntime, fakeRuntime } from '@slipway/image-pulls/testing';

/** A pull limiter in front of a runtime whose pulls end when told. */
export interface RunningLimiter extends AsyncDisposable {
  readonly runtime: FakeRuntime;
  readonly listen: string;
  readonly admin: string;
  /** A journal of pulls that shared a link. */
  readonly journal: string;
  /** Asks for images, as kubelets do. */
  pull(images: readonly string[], pod?: string): void;
}

/** Starts a limiter in this process. */
export async function startLimiter(limit: number): Promise<RunningLimiter> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-limiter-'));
  const listen = join(folder, 'image.sock');
  const runtime = await fakeRuntime(join(folder, 'runtime.sock'));
  const serving = await serve({ flags: { runtime: join(folder, 'runtime.sock'), listen, limit }, log: () => {} });
  const client = criClient(listen);
  const journal = join(folder, 'journal');
  mkdirSync(journal);
  writeFileSync(join(journal, 'pulls.ndjson'), pullsOnOneLink());
  return {
    runtime,
    listen,
    admin: adminOf(listen),
    journal,
    pull(images, pod = 'web') {
      for (const image of images)
        client.pull(image, { sandbox: { name: pod, uid: `uid-${image}`, namespace: 'shop' } });
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await serving.close();
      await runtime.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Groups of images of 1 MiB, each requested at once, over a link of 1 MiB/s: the larger a group, the longer it takes. */
function pullsOnOneLink(): string {
  const groups = [30, 10, 4, 2, 1].flatMap((size, minute) =>
    Array.from({ length: size }, (_, index) => ({
      askedAt: `2026-01-01T00:0${minute}:00Z`,
      image: `r/${minute}-${index}`,
      registry: 'r',
      key: `${minute}-${index}`,
      pods: [],
      callers: 1,
      waitedMs: 0,
      pulledMs: size * 1_000 + 100,
      bytes: 1 << 20,
      layers: 1,
      outcome: 'ok',
      limit: 0,
    })),
  );
  return groups.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
