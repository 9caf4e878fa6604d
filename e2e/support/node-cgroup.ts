import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** A control group of the whole machine, below which a kubelet makes those of its pods. */
export interface NodeCgroup {
  /** As `cgroupRoot` of a kubelet names it. */
  readonly path: string;
  /** Removes it with all below it. Throws while a process is in it. */
  remove(): true;
}

const root = '/sys/fs/cgroup';

/** Makes a group in the hierarchy of version 2, or in each hierarchy of version 1. */
export function makeCgroup(name: string): NodeCgroup {
  const isUnified = existsSync(join(root, 'cgroup.controllers'));
  // Beside hierarchies there may be links to them.
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const hierarchies = isUnified ? [root] : folders.map(({ name }) => join(root, name));
  const groups = hierarchies.map((hierarchy) => join(hierarchy, name));
  for (const group of groups) mkdirSync(group, { recursive: true });
  return {
    path: `/${name}`,
    remove: () => {
      for (const group of groups) removeGroup(group);
      return true;
    },
  };
}

/** The files of a group are part of it, and only its folders can be removed. */
function removeGroup(group: string): void {
  if (!existsSync(group)) return;
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(group, entry.name));
  rmdirSync(group);
}
