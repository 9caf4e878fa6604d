import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Kept aside while all is well and given back when the disk is full, so that removals still find room. */
const reserveBytes = 1024 * 1024;

/** Free space that ordinary writes leave alone. */
const headroomBytes = 512 * 1024;

/** The space under a file that grows. */
export interface DiskSpace {
  /** Whether `bytes` more may be written. Notices that the disk got full, and that it has room again. */
  admits(bytes: number): boolean;
  /** After a failed write: whether a full disk is the reason. Quotas show only here, never in the free space. */
  isExhausted(): boolean;
}

/**
 * Watches the space under `file`. Removals are what frees space, and they need
 * some themselves: a reserve beside the file is released to them when the disk is full.
 */
export function diskSpace(file: string): DiskSpace {
  const folder = dirname(file);
  const reserve = `${file}.reserve`;
  let full = !setAside();

  function freeBytes(): number {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  }

  function setAside(): boolean {
    try {
      writeFileSync(reserve, Buffer.alloc(reserveBytes), { mode: 0o600 });
      return true;
    } catch {
      release();
      return false;
    }
  }

  function release(): void {
    rmSync(reserve, { force: true });
  }

  return {
    admits(bytes) {
      if (full) {
        full = freeBytes() < reserveBytes + headroomBytes + bytes || !setAside();
      } else if (freeBytes() < headroomBytes + bytes) {
        release();
        full = true;
      }
      return !full;
    },
    isExhausted() {
      release();
      full = !setAside();
      if (full) release();
      return full;
    },
  };
}
