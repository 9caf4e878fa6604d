import { type BackupSummary, type LeftValue, listBackups, restoreBackup } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import { type Problem, problemOf } from '../feeds/problem.js';

export interface WhichBackups {
  readonly namespace: string;
  readonly feature: string;
}

/** Lists the backups of a feature, newest first. */
export async function backupsOf(
  kube: Kube,
  which: WhichBackups,
  signal: AbortSignal,
): Promise<readonly BackupSummary[]> {
  return await listBackups(kube, { ...which, signal });
}

/** The progress of a restore, and its result in the end. */
export type RestoreMessage =
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | {
      readonly type: 'result';
      readonly total: number;
      readonly restored: number;
      readonly present: number;
      readonly gone: number;
      /** The first values that are still missing. */
      readonly left: readonly LeftValue[];
      readonly leftCount: number;
      readonly problem?: Problem;
    };

const maxNamed = 20;

/** Puts the values of a backup back, and reports how far it is. A page that is closed ends it; restoring again goes on. */
export async function restoreValues(
  kube: Kube,
  which: WhichBackups & { readonly transition: string },
  report: (message: RestoreMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  const onProgress = (done: number, total: number) => report({ type: 'progress', done, total });
  const { failure, left, ...counts } = await restoreBackup(kube, { ...which, onProgress, signal });
  const problem = failure === undefined ? {} : { problem: problemOf(failure) };
  report({ type: 'result', ...counts, left: left.slice(0, maxNamed), leftCount: left.length, ...problem });
}
