import { createHash, createHmac } from 'node:crypto';
import type { RegistryAuth } from '../cri/pull-image-request.js';
import type { RecordStore } from './record-store.js';

/**
 * When an image that is there may be used only after the registry has seen the pod's credentials, as
 * `imagePullCredentialsVerificationPolicy` of a KubeletConfiguration says it (KEP-2535).
 */
export type VerificationPolicy =
  | { readonly kind: 'NeverVerify' }
  /** The default: images that this kubelet did not pull are free to use. */
  | { readonly kind: 'NeverVerifyPreloadedImages' }
  /** Only these are, written as images without tag, or as `registry/path/*`. */
  | { readonly kind: 'NeverVerifyAllowlistedImages'; readonly allowed: readonly string[] }
  | { readonly kind: 'AlwaysVerify' };

/** What was pulled with which credentials: of those, only a keyed hash is kept. */
interface PulledRecord {
  readonly imageRef: string;
  /** By image without tag or digest. */
  readonly credentials: Readonly<Record<string, Access>>;
}

interface Access {
  /** Pulled without credentials once, so every pod may use it. */
  readonly everybody: boolean;
  readonly hashes: readonly string[];
}

/**
 * Remembers, across crashes, which images this kubelet pulled and with which credentials. The intent is written
 * before a pull and the result after it: an image of which only the intent is known is not trusted.
 */
export class PullRecords {
  readonly #store: RecordStore;
  /** Pulls of one image may overlap; the intent goes with the last of them. */
  readonly #intents = new Map<string, number>();

  constructor(store: RecordStore) {
    this.#store = store;
  }

  /** A pull begins. */
  intend(image: string): void {
    this.#intents.set(image, (this.#intents.get(image) ?? 0) + 1);
    this.#store.write('pulling', nameOf(image), JSON.stringify({ image }));
  }

  /** It brought the image, with these credentials or without any. */
  pulled(image: string, imageRef: string, auth: RegistryAuth | undefined): void {
    const before = this.#recordOf(imageRef);
    const repository = repositoryOf(image);
    const { everybody = false, hashes = [] } = before?.credentials[repository] ?? {};
    const access: Access = {
      everybody: everybody || auth === undefined,
      hashes: auth === undefined ? hashes : [...new Set([...hashes, this.#hashOf(auth)])],
    };
    const record: PulledRecord = { imageRef, credentials: { ...before?.credentials, [repository]: access } };
    this.#store.write('pulled', nameOf(imageRef), JSON.stringify(record));
    this.#forgetIntent(image);
  }

  /** It brought nothing. */
  failed(image: string): void {
    this.#forgetIntent(image);
  }

  /** Whether a pod with these credentials has to pull an image that is there, so that the registry sees them. */
  mustPull(policy: VerificationPolicy, image: string, imageRef: string, credentials: readonly RegistryAuth[]): boolean {
    const record = this.#recordOf(imageRef);
    const isOurs = record !== undefined || this.#store.read('pulling', nameOf(image)) !== undefined;
    if (!isVerified(policy, image, isOurs)) return false;
    const access = record?.credentials[repositoryOf(image)];
    if (!access) return true;
    return !access.everybody && !credentials.some((auth) => access.hashes.includes(this.#hashOf(auth)));
  }

  #forgetIntent(image: string): void {
    const left = (this.#intents.get(image) ?? 1) - 1;
    if (left > 0) {
      this.#intents.set(image, left);
      return;
    }
    this.#intents.delete(image);
    this.#store.remove('pulling', nameOf(image));
  }

  /** What cannot be read counts as not there: then credentials are verified once more. */
  #recordOf(imageRef: string): PulledRecord | undefined {
    const text = this.#store.read('pulled', nameOf(imageRef));
    if (text === undefined) return undefined;
    try {
      const record = JSON.parse(text) as PulledRecord;
      return record.imageRef === imageRef && typeof record.credentials === 'object' ? record : undefined;
    } catch {
      return undefined;
    }
  }

  #hashOf(auth: RegistryAuth): string {
    const fields = [
      auth.username,
      auth.password,
      auth.auth,
      auth.serverAddress,
      auth.identityToken,
      auth.registryToken,
    ];
    return createHmac('sha256', this.#store.key).update(JSON.stringify(fields)).digest('hex');
  }
}

function isVerified(policy: VerificationPolicy, image: string, isOurs: boolean): boolean {
  switch (policy.kind) {
    case 'NeverVerify':
      return false;
    case 'NeverVerifyPreloadedImages':
      return isOurs;
    case 'NeverVerifyAllowlistedImages':
      return isOurs || !policy.allowed.some((pattern) => isAllowed(pattern, repositoryOf(image)));
    case 'AlwaysVerify':
      return true;
  }
}

function isAllowed(pattern: string, repository: string): boolean {
  return pattern.endsWith('/*') ? repository.startsWith(pattern.slice(0, -1)) : repository === pattern;
}

/** An image without its tag and digest. */
function repositoryOf(image: string): string {
  const [name = ''] = image.split('@');
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}

function nameOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}
