import { createHash } from 'node:crypto';
import type { Arch } from './app-folder.js';
import type { Libraries } from './libraries.js';
import type { ReleaseFile } from './release-file.js';
import { gzip, packTar } from './tar.js';

/** What an image of one architecture is made of. */
export interface ImageParts {
  readonly arch: Arch;
  readonly node: Buffer;
  readonly libraries: Libraries;
  readonly app: readonly ReleaseFile[];
  readonly sbom: Buffer;
  readonly licenses: Buffer;
}

export interface ImageOptions {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly time: Date;
  /** Of gzip; tests prefer to be fast. */
  readonly level?: number;
}

/** Name of the published image, without its version. */
export const imageName = 'slipway.dev/slipway';

/** How a container of the image runs; `Dockerfile` says the same. */
export const runtime = {
  user: '65532:65532',
  entrypoint: ['/usr/bin/slipway'],
  command: ['--help'],
  env: ['PATH=/usr/bin', 'HOME=/home/slipway'],
} as const;

/**
 * An OCI image layout as one tar: Node, the libraries it needs, the command, and nothing else: no shell, no package
 * manager. It runs as an ordinary user on a read-only root.
 */
export async function imageArchive(images: readonly ImageParts[], options: ImageOptions): Promise<Buffer> {
  const blobs = new Map<string, Buffer>();
  const manifests: object[] = [];
  for (const parts of images) manifests.push(await addImage(blobs, parts, options));
  const index = addJson(blobs, 'application/vnd.oci.image.index.v1+json', { schemaVersion: 2, manifests });
  const reference = `${options.name}:${options.version}`;
  const annotations = {
    'io.containerd.image.name': reference,
    'org.opencontainers.image.ref.name': options.version,
  };
  const layout: ReleaseFile[] = [
    { path: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { path: 'index.json', content: json({ schemaVersion: 2, manifests: [{ ...index, annotations }] }) },
    ...[...blobs].map(([digest, content]) => ({ path: `blobs/sha256/${digest}`, content })),
  ];
  return await packTar(layout, options.time);
}

/** The command by its name, as manifests call it. The kernel hands all that follows the program's path over as one argument. */
const launcher = "#!/usr/bin/node --max-semi-space-size=16\nimport('/usr/lib/slipway/bin/slipway.js');\n";

/** The files of the root file system, in layers: what changes least comes first. */
export function rootLayers({ node, libraries, app, sbom, licenses }: ImageParts): ReleaseFile[][] {
  const text = (path: string, content: string) => ({ path, content: Buffer.from(content) });
  const base = [
    { path: 'usr/bin/node', content: node, isExecutable: true },
    ...libraries.files,
    ...libraries.packages.map(({ name, copyright }) => text(`usr/share/doc/${name}/copyright`, copyright)),
    text('etc/passwd', 'root:x:0:0:root:/:/sbin/nologin\nslipway:x:65532:65532:slipway:/home/slipway:/sbin/nologin\n'),
    text('etc/group', 'root:x:0:\nslipway:x:65532:\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
  ];
  const command = [
    { path: 'usr/bin/slipway', content: Buffer.from(launcher), isExecutable: true },
    ...app.map((file) => ({ ...file, path: `usr/lib/slipway/${file.path}` })),
    { path: 'usr/share/doc/slipway/sbom.cdx.json', content: sbom },
    { path: 'usr/share/doc/slipway/LICENSES.txt', content: licenses },
  ];
  return [base, command];
}

async function addImage(blobs: Map<string, Buffer>, parts: ImageParts, options: ImageOptions): Promise<object> {
  const { time, level } = options;
  const created = time.toISOString();
  const layers: object[] = [];
  const diffs: string[] = [];
  for (const [number, files] of rootLayers(parts).entries()) {
    const folders =
      number === 0
        ? [
            { path: 'tmp', mode: 0o1777 },
            { path: 'home/slipway', mode: 0o755 },
          ]
        : [];
    const tar = await packTar(files, time, folders);
    diffs.push(`sha256:${sha256(tar)}`);
    layers.push(add(blobs, 'application/vnd.oci.image.layer.v1.tar+gzip', gzip(tar, level)));
  }
  const platform = { architecture: parts.arch, os: 'linux' };
  const config = {
    created,
    ...platform,
    config: {
      User: runtime.user,
      Entrypoint: runtime.entrypoint,
      Cmd: runtime.command,
      Env: runtime.env,
      WorkingDir: '/',
      Labels: {
        'org.opencontainers.image.title': 'slipway',
        'org.opencontainers.image.version': options.version,
        'org.opencontainers.image.source': options.source,
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.created': created,
      },
    },
    rootfs: { type: 'layers', diff_ids: diffs },
    history: diffs.map((_, number) => ({ created, created_by: number === 0 ? 'Node and its libraries' : 'slipway' })),
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: addJson(blobs, 'application/vnd.oci.image.config.v1+json', config),
    layers,
  };
  return { ...addJson(blobs, manifest.mediaType, manifest), platform };
}

function addJson(blobs: Map<string, Buffer>, mediaType: string, value: object) {
  return add(blobs, mediaType, json(value));
}

function add(blobs: Map<string, Buffer>, mediaType: string, content: Buffer) {
  const digest = sha256(content);
  blobs.set(digest, content);
  return { mediaType, digest: `sha256:${digest}`, size: content.length };
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
