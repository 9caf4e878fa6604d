import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { parseYaml } from '@slipway/safe-yaml';
import type { StaticPod } from './mirror-pod.js';

/**
 * The pods of a folder of manifests, a file each, in the order of the names of their files. Files whose names begin with a dot are left out.
 * @throws Error that names a file which is not a pod
 */
export function readStaticPods(folder: string): readonly StaticPod[] {
  const files = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return files.sort().map((file) => {
    const path = join(folder, file);
    const document = parseYaml(readFileSync(path, 'utf8')) as Partial<Pod> | null;
    const { apiVersion, kind, metadata, spec } = document ?? {};
    if (apiVersion !== 'v1' || kind !== 'Pod' || !metadata?.name || !spec)
      throw new Error(`${path} is not a Pod of v1`);
    return { metadata, spec };
  });
}
