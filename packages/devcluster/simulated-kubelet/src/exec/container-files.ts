import { posix } from 'node:path';
import type { MountFields, VolumeFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';
import { expandedMounts } from './expanded-mounts.js';
import { filesOfImage } from './image-files.js';
import { type Content, MountedFiles } from './mounted-files.js';
import { FileError, type FileTree } from './pod-disk.js';

/** Images have nothing there. */
const emptyInImages = /^\/(tmp|var\/tmp|dev|run)(\/|$)/;
const fileMode = 0o644;
const folderMode = 0o755;
/** Of a volume that is empty at first. */
const mountMode = 0o777;
const broughtByKubelets = ['configMap', 'secret', 'downwardAPI', 'projected', 'image'];

/** Where paths lead that begin in one way: into a tree, or, without one, where nothing can be written. */
interface Mount {
  readonly path: string;
  readonly tree: FileTree | undefined;
  /** The path in its tree that it stands for. */
  readonly within: string;
  readonly fileSystem: 'overlay' | 'tmpfs' | 'ext4';
}

/**
 * The files of a simulated container: those that its volumes and its kubelet bring, and over them what was written. What is in an
 * emptyDir, or another volume that is not a copy of an object, is seen by all containers of the pod that mount it and outlives their
 * restarts; what is elsewhere is gone when its container ends. Paths are absolute and normal.
 */
export class ContainerFiles {
  readonly #view: ContainerView;
  #brought: { readonly revision: number; readonly files: MountedFiles };
  readonly #mounts: readonly Mount[];
  readonly #nowMs: () => number;
  #missing: 'none' | 'some' | 'of-image' = 'none';

  constructor(view: ContainerView) {
    this.#view = view;
    this.#brought = { revision: view.revision?.() ?? 0, files: new MountedFiles(view) };
    this.#mounts = mountsOf(view);
    this.#nowMs = () => view.clock.now();
  }

  /** Which files were looked for and are not there: some that only the image of the container could have, or others. */
  get missing(): 'none' | 'some' | 'of-image' {
    return this.#missing;
  }

  /** The content of a file, undefined when there is none of that path. */
  read(path: string): ReturnType<Content> | undefined {
    return this.#written(path)?.content ?? (this.isFile(path) ? this.#files.read(path) : undefined);
  }

  isFile(path: string): boolean {
    const written = this.#written(path);
    if (written) return written.content !== undefined;
    if (this.#files.isFile(path)) return true;
    if (this.#at(path).isOfImage && !emptyInImages.test(path)) this.#missing = 'of-image';
    else if (this.#missing === 'none') this.#missing = 'some';
    return false;
  }

  isFolder(path: string): boolean {
    const written = this.#written(path);
    return written ? written.content === undefined : this.#files.isFolder(path);
  }

  /** Permission bits and time of a file or folder. What was brought is as old as now. */
  facts(path: string): { readonly mode: number; readonly modifiedAtMs: number } {
    const written = this.#written(path);
    if (written) return written;
    const ofFolder = this.#at(path).mountPath === path ? mountMode : folderMode;
    const mode = this.#files.modeOf(path) ?? (this.isFolder(path) ? ofFolder : fileMode);
    return { mode, modifiedAtMs: this.#nowMs() };
  }

  /** The type of the file system that a path is on. */
  fileSystemOf(path: string): string {
    return this.#at(path).fileSystem;
  }

  /** What is in a folder, in order. */
  list(folder: string): readonly string[] {
    const { tree, inner } = this.#at(folder);
    return [...new Set([...this.#files.list(folder), ...(tree?.namesIn(inner) ?? [])])].sort();
  }

  /** Writes a file, whether there was one or not. @throws FileError */
  write(path: string, content: Buffer, mode = this.isFile(path) ? this.facts(path).mode : fileMode): void {
    if (this.isFolder(path)) throw new FileError('Is a directory');
    this.#put(path, content, mode);
  }

  /** Makes a folder in one that is there; one that is there already stays as it is. @throws FileError */
  makeFolder(path: string, mode = folderMode): void {
    if (this.isFile(path)) throw new FileError('File exists');
    if (!this.isFolder(path)) this.#put(path, undefined, mode);
  }

  /** Makes a folder with all that lead to it. @throws FileError */
  makeFolders(path: string): void {
    if (path !== '/') this.makeFolders(posix.dirname(path));
    this.makeFolder(path);
  }

  /** Removes a file, or a folder with what is in it. @throws FileError when it was not written, but brought */
  remove(path: string): void {
    const { tree, inner } = this.#at(path);
    if (!tree) throw new FileError('Read-only file system');
    if (!tree.get(inner)) throw new FileError('Device or resource busy');
    tree.remove(inner);
  }

  #put(path: string, content: Buffer | undefined, mode: number): void {
    const folder = posix.dirname(path);
    if (!this.isFolder(folder))
      throw new FileError(this.isFile(folder) ? 'Not a directory' : 'No such file or directory');
    const { tree, inner } = this.#at(path);
    if (!tree) throw new FileError('Read-only file system');
    tree.put(inner, { content, mode, modifiedAtMs: this.#nowMs() });
  }

  /** What volumes bring may change while the container runs. */
  get #files(): MountedFiles {
    const revision = this.#view.revision?.() ?? 0;
    if (revision !== this.#brought.revision) this.#brought = { revision, files: new MountedFiles(this.#view) };
    return this.#brought.files;
  }

  #written(path: string) {
    const { tree, inner } = this.#at(path);
    return tree?.get(inner);
  }

  #at(path: string) {
    const mount = this.#mounts.find(({ path: at }) => at === '/' || path === at || path.startsWith(`${at}/`));
    return {
      tree: mount?.tree,
      isOfImage: mount?.path === '/',
      mountPath: mount?.tree && mount.path,
      fileSystem: mount?.fileSystem ?? 'overlay',
      inner: posix.join(mount?.within ?? '/', posix.relative(mount?.path ?? '/', path)),
    };
  }
}

/** Longest paths first: the first that fits counts. */
function mountsOf(view: ContainerView): readonly Mount[] {
  const { pod, container, disk, run, clock } = view;
  const volumes = (pod.spec as { volumes?: readonly VolumeFields[] | null }).volumes ?? [];
  const mounts = expandedMounts(view).flatMap((mount: MountFields): Mount[] => {
    const { name = '', mountPath = '', subPath = '', readOnly } = mount;
    const volume = volumes.find((each) => each.name === name);
    if (!volume) return [];
    const isReadOnly = readOnly === true || broughtByKubelets.some((source) => volume[source] !== undefined);
    const tree = isReadOnly ? undefined : disk.tree(`volume ${name}`, '');
    if (tree && subPath !== '') makeSubPath(tree, posix.resolve('/', subPath), clock.now());
    const { medium } = (volume.emptyDir ?? {}) as { readonly medium?: string };
    const fileSystem = medium === 'Memory' || volume.secret ? 'tmpfs' : 'ext4';
    return [{ path: posix.resolve('/', mountPath), tree, within: posix.resolve('/', subPath), fileSystem }];
  });
  const { readOnlyRootFilesystem = false } = (container.securityContext ?? {}) as { readOnlyRootFilesystem?: boolean };
  const ofImage = Object.entries(filesOfImage(container.image ?? ''));
  const own = readOnlyRootFilesystem
    ? undefined
    : disk.tree(`container ${container.name}`, run, (tree) => {
        for (const [path, text] of ofImage) {
          tree.put(path, { content: Buffer.from(text), mode: fileMode, modifiedAtMs: clock.now() });
        }
      });
  const root: Mount = { path: '/', tree: own, within: '/', fileSystem: 'overlay' };
  return [...mounts, root].sort((a, b) => b.path.length - a.path.length);
}

/** A kubelet makes the folder of a volume that a container mounts. */
function makeSubPath(tree: FileTree, path: string, modifiedAtMs: number): void {
  if (path === '/' || tree.get(path)) return;
  makeSubPath(tree, posix.dirname(path), modifiedAtMs);
  tree.put(path, { content: undefined, mode: folderMode, modifiedAtMs });
}
