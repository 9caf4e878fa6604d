import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startContainerd } from './containerd.js';
import { startRegistry } from './registry.js';
import type { Stage } from './run-document.js';

/** A node with containerd at its usual socket below `folder`, and a registry that has the image `web:1`. */
export async function nodeWithRuntime(folder: string): Promise<Stage> {
  const own = join(folder, 'run/containerd');
  mkdirSync(own, { recursive: true });
  const registry = await startRegistry(own);
  const containerd = await startContainerd(own);
  await registry.push('web');
  return {
    registry: ['registry.example', registry.host],
    async [Symbol.asyncDispose]() {
      await containerd.stop();
      await registry.stop();
    },
  };
}
