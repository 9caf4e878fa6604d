import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@slipway/kube';
import type { ClusterOptions } from './cluster.js';
import { ClusterStartError } from './cluster-start-error.js';
import type { DataDir } from './data-paths.js';
import { type Access, kubeconfigText } from './kubeconfig.js';
import { addAccess, type KubeconfigChange, removeAccess, userKubeconfig } from './kubeconfig-file.js';
import { writeAtomically } from './write-atomically.js';

/** Where the kubeconfig of a cluster went. */
export interface Published {
  /** The file that leads to the cluster, if one was written. */
  readonly path: string | undefined;
  readonly warnings: readonly string[];
  /** Takes the cluster out of the user's kubeconfig again. A file that was asked for by name stays. */
  withdraw(): Promise<void>;
}

/**
 * Writes the kubeconfig where it was asked for. That the user's own one cannot be
 * added to is no reason not to run: it is left alone, and a warning names the copy.
 * @throws ClusterStartError KubeconfigUnreadable when a file was asked for by name
 */
export async function publishKubeconfig(
  where: NonNullable<ClusterOptions['writeKubeconfig']>,
  access: Access,
  dir: DataDir | undefined,
  clock: Clock,
): Promise<Published> {
  const nothing = { path: undefined, warnings: [], withdraw: async () => {} };
  if (where === 'nowhere') return nothing;
  if (where !== 'user') {
    await addAccess(where.path, access, clock);
    return { ...nothing, path: where.path };
  }
  if (dir) writeAtomically(dir.kubeconfig, kubeconfigText(access));
  const path = userKubeconfig();
  const before = dir && noteOf(dir, path);
  try {
    const change = firstOf(before, await addAccess(path, access, clock, before?.contexts));
    if (dir) writeAtomically(noteIn(dir), JSON.stringify(change));
    return {
      path,
      warnings: [],
      async withdraw() {
        await removeAccess(change, clock);
        if (dir) rmSync(noteIn(dir), { force: true });
      },
    };
  } catch (error) {
    if (!(error instanceof ClusterStartError)) throw error;
    const instead = dir ? `; use KUBECONFIG=${dir.kubeconfig}` : '';
    return { ...nothing, path: dir?.kubeconfig, warnings: [`${error.message}${instead}`] };
  }
}

/** After a crash the cluster is selected already; what was selected before it is in the note of that start. */
function firstOf(before: KubeconfigChange | undefined, change: KubeconfigChange): KubeconfigChange {
  const left = [...change.contexts, ...(before?.contexts ?? [])];
  if (!left.includes(change.previous)) return change;
  return { ...change, previous: before?.previous ?? '', made: before?.made ?? change.made };
}

/** What a start that did not end in order wrote into the kubeconfig at `path`. */
function noteOf(dir: DataDir, path: string): KubeconfigChange | undefined {
  try {
    const note = JSON.parse(readFileSync(noteIn(dir), 'utf8')) as Partial<KubeconfigChange>;
    return note.path === path && Array.isArray(note.contexts) ? (note as KubeconfigChange) : undefined;
  } catch {
    return undefined;
  }
}

function noteIn(dir: DataDir): string {
  return join(dir.path, 'kubeconfig.before');
}
