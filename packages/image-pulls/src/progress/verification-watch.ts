import { registryOf, repositoryOf } from '../cri/image-reference.js';
import type { PullClock } from '../limiter/clock.js';
import type { Blob, ContentStore, Ingest } from '../runtime/content-store.js';

export interface VerificationWatchOptions {
  readonly store: ContentStore;
  readonly clock: PullClock;
  /** Whether no other pull has begun a moment ago, so that a new manifest can only be that of the verified image. */
  readonly isQuiet: () => boolean;
}

const everyMs = 2;

/**
 * Lets the runtime verify a tag that it has, and says as soon as it fetches something instead, which means that the
 * tag has moved. containerd asks for the manifest first, and for layers only when it has that and the configuration:
 * so a moved tag is seen before any layer of it travels.
 *
 * Where the runtime shows no content this only runs it; then time alone tells.
 */
export async function watchVerification<T>(
  options: VerificationWatchOptions,
  image: string,
  verify: () => Promise<T>,
  onDownloads: () => void,
): Promise<T> {
  const { store, clock, isQuiet } = options;
  const over = new AbortController();
  const look = async (): Promise<readonly [readonly Ingest[], readonly Blob[]]> => [
    await store.ingests(over.signal),
    await store.blobsOf(registryOf(image), repositoryOf(image), over.signal),
  ];
  const before = await look().catch(() => undefined);
  const verified = verify().finally(() => over.abort(new Error('over')));
  if (before) {
    const refs = new Set(before[0].map(({ ref }) => ref));
    const digests = new Set(before[1].map(({ digest }) => digest));
    const follow = async () => {
      while (!over.signal.aborted) {
        const [ingests, blobs] = await look();
        const isNew = ({ ref }: Ingest) => /^(manifest|index)-/.test(ref) && !refs.has(ref);
        if (blobs.some(({ digest }) => !digests.has(digest)) || (isQuiet() && ingests.some(isNew))) {
          onDownloads();
          return;
        }
        await new Promise<void>((resolve) => clock.after(everyMs, resolve));
      }
    };
    follow().catch(() => {});
  }
  return await verified;
}
