import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@slipway/kube';
import { ClusterStartError, systemCode } from './cluster-start-error.js';
import { program } from './component/program.js';
import { requireDataFiles, requireStore } from './data-files.js';
import { type DataDir, dataDirAt } from './data-paths.js';
import { makeFolder } from './make-folder.js';
import { writeAtomically } from './write-atomically.js';

/** Raised when an older program would misread what is in the folder. */
const dataFormat = 1;

/** The folder of a cluster when none is named: `$XDG_DATA_HOME/slipway/clusters/<name>`. */
export function defaultDataDir(name: string, env: NodeJS.ProcessEnv = process.env): string {
  return join(clustersRoot(env), name);
}

/** The folder that holds one data directory per cluster name. */
export function clustersRoot(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share'), 'slipway', 'clusters');
}

interface Version {
  readonly format: number;
  readonly createdBy: string;
  readonly lastOpenedBy: string;
  /** Whether the store was made: from then on it is missing if it is not there. */
  readonly hasStore?: boolean;
}

/**
 * Refuses a folder that this program must not write to: made by a newer one,
 * damaged, or owned by another user. Writes nothing.
 * @throws ClusterStartError DataTooNew, DataDamaged or DataUnusable
 */
export function requireUsable(dir: DataDir, program: string): void {
  requireDataFiles(dir);
  // Looked at first: another start may just be making it, and what it writes first is the version.
  const empty = isEmpty(dir);
  const version = readVersion(dir);
  if (version && version.format > dataFormat) {
    throw new ClusterStartError(
      'DataTooNew',
      `${dir.path} has data format ${version.format} of slipway ${version.lastOpenedBy}; this is slipway ${program}, which knows formats up to ${dataFormat}`,
      `use slipway ${version.lastOpenedBy} or newer, or another --data-dir`,
    );
  }
  if (version?.hasStore) requireStore(dir);
  if (!version && !empty) {
    const hint = 'name a new or an empty folder with --data-dir';
    throw new ClusterStartError('DataUnusable', `${dir.path} is not empty and not a data directory of slipway`, hint);
  }
}

/**
 * Makes the folder, readable by its owner only.
 * @throws ClusterStartError DataUnusable when the folder cannot be written to
 */
export function makeDataDir(dir: DataDir): void {
  try {
    makeFolder(dir.path);
  } catch (cause) {
    throw unusable(dir, cause);
  }
}

/**
 * Makes the data directory at `folder`, for a start in another process that writes its log there.
 * @throws ClusterStartError as {@link requireUsable} and {@link makeDataDir}
 */
export function prepareDataDir(folder: string): DataDir {
  const dir = dataDirAt(folder);
  requireUsable(dir, program);
  makeDataDir(dir);
  return dir;
}

/** Notes which program opened the data directory. Call it with the lock held. */
export function stampVersion(dir: DataDir, program: string): void {
  const version = readVersion(dir);
  if (version?.lastOpenedBy === program) return;
  writeVersion(dir, {
    format: dataFormat,
    createdBy: version?.createdBy ?? program,
    lastOpenedBy: program,
    ...(version?.hasStore && { hasStore: true }),
  });
}

/** Notes that the store was made, before anything is acknowledged that it holds. */
export function stampStore(dir: DataDir): void {
  const version = readVersion(dir);
  if (version && !version.hasStore) writeVersion(dir, { ...version, hasStore: true });
}

function writeVersion(dir: DataDir, version: Version): void {
  try {
    writeAtomically(dir.version, `${JSON.stringify(version)}\n`);
  } catch (cause) {
    throw unusable(dir, cause);
  }
}

/** Turns an error of the operating system about the folder into one for people. */
export function unusable(dir: DataDir, cause: unknown): ClusterStartError {
  const texts: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOSPC: 'no space left on the disk',
    EDQUOT: 'the disk quota is used up',
    ENOTDIR: 'a part of the path is a file',
    EEXIST: 'it is a file',
    ENAMETOOLONG: 'the path is too long',
  };
  const code = systemCode(cause);
  const why = (code && texts[code]) ?? errorMessage(cause);
  const hint = 'name a folder you can write to with --data-dir';
  return new ClusterStartError('DataUnusable', `cannot use ${dir.path} as data directory: ${why}`, hint, { cause });
}

function readVersion(dir: DataDir): Version | undefined {
  let text: string;
  try {
    text = readFileSync(dir.version, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    throw unusable(dir, error);
  }
  const version = parseVersion(text);
  if (version) return version;
  const hint = 'move the data directory away and start again, or restore it from a copy';
  throw new ClusterStartError('DataDamaged', `${dir.version} cannot be read: it does not name a data format`, hint);
}

function parseVersion(text: string): Version | undefined {
  try {
    const { format, createdBy, lastOpenedBy, hasStore } = JSON.parse(text) as Partial<Record<keyof Version, unknown>>;
    if (typeof format !== 'number' || !Number.isInteger(format) || format < 1) return undefined;
    const by = typeof createdBy === 'string' ? createdBy : 'an unknown version';
    return {
      format,
      createdBy: by,
      lastOpenedBy: typeof lastOpenedBy === 'string' ? lastOpenedBy : by,
      ...(hasStore === true && { hasStore }),
    };
  } catch {
    return undefined;
  }
}

/**
 * A folder that is not there is empty. So is one that only a start has touched which never got further, or is not
 * further yet.
 */
function isEmpty(dir: DataDir): boolean {
  try {
    return readdirSync(dir.path).every(
      (name) => name === 'lost+found' || /^(LOCK|VERSION\.|in-use\.|up\.log)/.test(name),
    );
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    throw unusable(dir, error);
  }
}
