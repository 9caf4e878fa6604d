import type { Blob, Ingest } from '../runtime/content-store.js';

/** How far a pull is, in bytes as they travel. */
export interface ImageProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly layers: readonly LayerProgress[];
}

export interface LayerProgress {
  readonly digest: string;
  readonly bytes: number;
  readonly totalBytes: number;
}

/** A blob as a manifest names it. */
export interface Descriptor {
  readonly digest: string;
  readonly sizeBytes: number;
}

/**
 * Which of the blobs of a repository is the manifest that a pull is about: one of whose layers is being fetched now,
 * or else the youngest that came after the pull began. Undefined while the runtime still asks the registry.
 */
export function manifestOf(blobs: readonly Blob[], ingests: readonly Ingest[], startedMs: number): Blob | undefined {
  const manifests = blobs.filter((blob) => layersOf(blob).length > 0).sort((a, b) => b.createdMs - a.createdMs);
  const fetching = new Set(ingests.flatMap(({ ref }) => digestOf(ref)));
  const active = manifests.find((blob) => layersOf(blob).some((digest) => fetching.has(digest)));
  return active ?? manifests.find(({ createdMs }) => createdMs >= startedMs - clockSlackMs);
}

/** Counts the bytes of the layers that are present or downloading. A layer that two images share counts for each. */
export function progressOf(
  layers: readonly Descriptor[],
  blobs: readonly Blob[],
  ingests: readonly Ingest[],
): ImageProgress {
  const there = new Set(blobs.map(({ digest }) => digest));
  const offsets = new Map(ingests.flatMap(({ ref, offset }) => digestOf(ref).map((digest) => [digest, offset])));
  const progress = layers.map(({ digest, sizeBytes }) => ({
    digest,
    bytes: there.has(digest) ? sizeBytes : Math.min(sizeBytes, offsets.get(digest) ?? 0),
    totalBytes: sizeBytes,
  }));
  const sum = (what: 'bytes' | 'totalBytes') => progress.reduce((total, layer) => total + layer[what], 0);
  return { bytes: sum('bytes'), totalBytes: sum('totalBytes'), layers: progress };
}

/** The layers that a manifest of OCI or Docker names; none when it is something else. */
export function descriptorsOf(manifest: Buffer): readonly Descriptor[] {
  let document: unknown;
  try {
    document = JSON.parse(manifest.toString());
  } catch {
    return [];
  }
  const { layers } = (document ?? {}) as { layers?: unknown };
  if (!Array.isArray(layers)) return [];
  return layers.flatMap(({ digest, size }: { digest?: unknown; size?: unknown }) =>
    typeof digest === 'string' && typeof size === 'number' ? [{ digest, sizeBytes: size }] : [],
  );
}

/** The clocks are the same machine's, but containerd may note a time a little before we note the start. */
const clockSlackMs = 50;

/** containerd keeps what a blob refers to alive by labels, which so name the layers of a manifest. */
function layersOf({ labels }: Blob): readonly string[] {
  return [...labels].filter(([name]) => name.startsWith('containerd.io/gc.ref.content.l.')).map(([, digest]) => digest);
}

/** The digest in the reference of an ingest, `layer-sha256:...`. */
function digestOf(ref: string): readonly string[] {
  const dash = ref.indexOf('-');
  return dash < 0 ? [] : [ref.slice(dash + 1)];
}
