import { existsSync } from 'node:fs';
import type { KubeObject } from '@slipway/kube';
import { checkRecords, type Damage, type StoreContents } from '@slipway/object-store/check-records';
import { StorageDamagedError } from '@slipway/object-store/durable-log';
import { readLmdb } from '@slipway/object-store/read-lmdb';
import { damagedCertificates } from './certificates.js';
import { ClusterStartError } from './cluster-start-error.js';
import { program } from './component/program.js';
import { requireUsable } from './data-dir.js';
import { type DataDir, dataDirAt } from './data-paths.js';

/** What is in a data directory, and what of it is damaged. */
export interface DataReport {
  readonly path: string;
  /** The newest revision. */
  readonly revision: number;
  /** How many objects of each resource there are, by `storedAs`: `pods`, `deployments.apps`. */
  readonly objects: Readonly<Record<string, number>>;
  /** Records kept, the recent history among them, and how many characters they have. */
  readonly records: number;
  readonly bytes: number;
  readonly damage: readonly Damage[];
}

/**
 * Looks at everything in a data directory, and changes nothing. A cluster may run on it.
 * @throws ClusterStartError DataUnusable when it is not a data directory, DataTooNew
 */
export async function verifyDataDir(folder: string): Promise<DataReport> {
  const dir = existing(folder);
  const damage: Damage[] = [];
  const contents = await contentsOf(dir).catch((error: unknown) => {
    if (!(error instanceof StorageDamagedError)) throw error;
    damage.push({ where: dir.store, what: error.message });
    return checkRecords(dir.store, []);
  });
  const objects: Record<string, number> = {};
  for (const { resource } of contents.objects) objects[resource] = (objects[resource] ?? 0) + 1;
  const { revision, records, bytes } = contents;
  damage.push(...contents.damage, ...damagedCertificates(dir.pki));
  return { path: dir.path, revision, objects, records, bytes, damage };
}

/**
 * The objects in a data directory. A cluster may run on it.
 * @throws ClusterStartError DataUnusable, DataTooNew, and DataDamaged when not all of them can be read
 */
export async function readDataDir(folder: string): Promise<readonly KubeObject[]> {
  const dir = existing(folder);
  const { objects, damage } = await contentsOf(dir).catch((error: unknown) => {
    throw error instanceof StorageDamagedError ? damaged(error.message, error) : error;
  });
  const [first] = damage;
  if (first) throw damaged(`${first.where}: ${first.what}`);
  return objects.map(({ object }) => object);
}

async function contentsOf(dir: DataDir): Promise<StoreContents> {
  const raw = await readLmdb(dir.store);
  try {
    return checkRecords(dir.store, raw.records);
  } finally {
    await raw.close();
  }
}

function existing(folder: string): DataDir {
  const dir = dataDirAt(folder);
  requireUsable(dir, program);
  const hint = 'name another one with --name or --data-dir';
  if (!existsSync(dir.version)) {
    throw new ClusterStartError('DataUnusable', `${dir.path} is not a data directory of slipway`, hint);
  }
  if (existsSync(dir.store)) return dir;
  const message = `there is no data in ${dir.path}: its cluster keeps everything in memory`;
  throw new ClusterStartError('DataUnusable', message, `start it without --ephemeral, or ${hint}`);
}

function damaged(message: string, cause?: unknown): ClusterStartError {
  return new ClusterStartError('DataDamaged', message, 'see all that is damaged with: slipway dev data verify', {
    cause,
  });
}
