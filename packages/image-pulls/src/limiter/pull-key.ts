import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { PullImageRequest } from '../cri/pull-image-request.js';

/** Which calls for one image may share a pull. */
export interface Sharing {
  /** `namespace` shares within a namespace, `node` across them, `none` never. */
  readonly scope: 'namespace' | 'node' | 'none';
  /** Annotations that make a difference to the runtime. All others come from the pod and make none. */
  readonly annotations: readonly string[];
}

export const defaultSharing: Sharing = { scope: 'namespace', annotations: ['io.containerd.cri.runtime-handler'] };

/**
 * Makes keys: calls with an equal key may share one pull.
 *
 * Sharing across credentials would hand a private image to a caller without rights, and would fail those who have
 * them when the first one has not. So every byte of the credentials is in the key, behind a secret of this process.
 * The reference counts as sent, because what a short name means is the runtime's to say.
 */
export function pullKeys(sharing: Sharing): (request: PullImageRequest) => string {
  const secret = randomBytes(32);
  let unshared = 0;
  return (request) => {
    const { imageBytes, runtimeHandler, annotations, sandboxAnnotations, auth, podNamespace } = request;
    const parts: (Uint8Array | string)[] = [imageBytes, runtimeHandler];
    parts.push(sharing.scope === 'namespace' ? podNamespace : '');
    parts.push(sharing.scope === 'none' ? String(++unshared) : '');
    for (const name of sharing.annotations) {
      for (const from of [annotations, sandboxAnnotations]) parts.push(from.has(name) ? `=${from.get(name)}` : '');
    }
    parts.push(auth ? createHmac('sha256', secret).update(auth).digest() : '');
    const hash = createHash('sha256');
    for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
    return hash.digest('hex');
  };
}
