import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { dataDirAt, type LockHolder, lockHolder } from '@slipway/devcluster';

/** A cluster that some process of this user runs. */
export interface RunningCluster extends LockHolder, Mark {}

/** What a running cluster leaves for others to find it by. */
interface Mark {
  readonly dataDir: string;
  /** Every address it answers at. */
  readonly urls: readonly string[];
  /** What it keeps is in its memory, and nothing in `dataDir` is of it. */
  readonly ephemeral: boolean;
}

let marked = 0;

/** Lets other commands of this user find a cluster of this process, wherever its data is. Returns what takes the mark back. */
export function markRunning(mark: Mark): () => void {
  marked += 1;
  const path = join(marksFolder(), `${process.pid}-${marked}.json`);
  mkdirSync(marksFolder(), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(mark), { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/** Every cluster that runs now. Marks of processes that were killed are removed. */
export async function runningClusters(): Promise<RunningCluster[]> {
  const all = await Promise.all(
    marks().map(async ({ path, mark }) => {
      const holder = mark && (await lockHolder(dataDirAt(mark.dataDir)));
      if (holder && path.includes(`/${holder.pid}-`)) return [{ ...holder, ...mark }];
      rmSync(path, { force: true });
      return [];
    }),
  );
  return all.flat();
}

function marks(): { path: string; mark: Mark | undefined }[] {
  try {
    return readdirSync(marksFolder()).map((file) => {
      const path = join(marksFolder(), file);
      return { path, mark: readMark(path) };
    });
  } catch {
    return [];
  }
}

function readMark(path: string): Mark | undefined {
  try {
    const mark = JSON.parse(readFileSync(path, 'utf8')) as Partial<Mark>;
    const { dataDir, urls, ephemeral = false } = mark;
    return typeof dataDir === 'string' && Array.isArray(urls) ? { dataDir, urls, ephemeral } : undefined;
  } catch {
    return undefined;
  }
}

/** The user's folder for what lives only as long as processes do. */
function marksFolder(): string {
  const runtime = process.env.XDG_RUNTIME_DIR;
  return runtime ? join(runtime, 'slipway') : join(tmpdir(), `slipway-${process.getuid?.() ?? userInfo().uid}`);
}
