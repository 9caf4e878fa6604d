/** A source file and the files it imports; `import type` counts. Paths are relative to one folder and use slashes. */
export interface Module {
  readonly path: string;
  readonly imports: readonly string[];
}

/** One import, from a file to a file. */
export type Arrow = readonly [from: string, to: string];

/**
 * The folders of a package, ground floor first. A line names folders of one floor, separated by spaces: they do not import
 * each other. `.` is the package itself, without its subfolders.
 */
export type Floors = readonly string[];

/** Imports that lead from a folder to one that is not on a lower floor. Imports within a folder are not counted. */
export function arrowsUp(modules: readonly Module[], floors: Floors): Arrow[] {
  const heights = new Map(floors.flatMap((line, height) => line.split(' ').map((folder) => [folder, height] as const)));
  const heightOf = (path: string) => heights.get(folderOf(path)) ?? Number.POSITIVE_INFINITY;
  return modules.flatMap(({ path, imports }) =>
    imports
      .filter((target) => folderOf(target) !== folderOf(path) && heightOf(target) >= heightOf(path))
      .map((target): Arrow => [path, target]),
  );
}

/** Folders that no floor lists, and folders on a floor that do not exist. */
export function misplacedFolders(modules: readonly Module[], floors: Floors): string[] {
  const listed = floors.flatMap((line) => line.split(' '));
  const present = new Set(modules.map(({ path }) => folderOf(path)));
  return [...present].filter((folder) => !listed.includes(folder)).concat(listed.filter((one) => !present.has(one)));
}

/** Imports that lead to a package which the importing one may not use. Paths begin with the name of a package. */
export function forbiddenArrows(
  modules: readonly Module[],
  mayImport: Readonly<Record<string, readonly string[]>>,
): Arrow[] {
  return modules.flatMap(({ path, imports }) =>
    imports
      .filter(
        (target) => packageOf(target) !== packageOf(path) && !mayImport[packageOf(path)]?.includes(packageOf(target)),
      )
      .map((target): Arrow => [path, target]),
  );
}

/** Groups of files each of which leads back to itself: strongly connected components (Tarjan), sorted. */
export function circlesOf(modules: readonly Module[]): string[][] {
  const imports = new Map(modules.map(({ path, imports }) => [path, imports]));
  const index = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const own = index.size;
    let low = own;
    index.set(path, own);
    open.push(path);
    for (const target of imports.get(path) ?? []) {
      if (!imports.has(target)) continue;
      if (!index.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, index.get(target) ?? 0);
    }
    if (low === own) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const path of imports.keys()) if (!index.has(path)) visit(path);
  return circles.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

/** The files of one package with the imports that stay in it; paths begin below the package. */
export function packageModules(modules: readonly Module[], name: string): Module[] {
  const below = (path: string) => path.slice(name.length + 1);
  return modules
    .filter(({ path }) => packageOf(path) === name)
    .map(({ path, imports }) => ({
      path: below(path),
      imports: imports.filter((target) => packageOf(target) === name).map(below),
    }));
}

function packageOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
}
