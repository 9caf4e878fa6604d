import { createHash } from 'node:crypto';
import { errorMessage } from '../cri/error-message.js';
import { registryOf, withDefaultTag } from '../cri/image-reference.js';
import type { ImageStatus } from '../cri/image-status.js';
import type { PullSandbox, RegistryAuth } from '../cri/pull-image-request.js';
import { type PullClock, systemClock } from '../limiter/clock.js';
import { PullLimiter } from '../limiter/pull-limiter.js';
import { ImageBackOff } from './image-back-off.js';
import type { ImageService, PullRequest } from './image-service.js';
import { durationText, type NodePullEvent, type PullEvent } from './pull-event.js';
import { PullBucket, type PullRate } from './pull-rate.js';
import type { PullRecords, VerificationPolicy } from './pull-records.js';

/** One container that needs its image. */
export interface ImageWanted {
  readonly image: string;
  readonly policy: 'Always' | 'IfNotPresent' | 'Never';
  readonly pod: PullSandbox;
  readonly container: string;
  /** Credentials that may fit, tried in turn; none tries without. */
  readonly credentials?: readonly RegistryAuth[];
}

/** How it ended. Reasons are those that a container status shows while it waits. */
export type ImageEnsured =
  | { readonly kind: 'present'; readonly imageRef: string }
  | { readonly kind: 'pulled'; readonly imageRef: string }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly message: string;
      /** When it is worth trying again; undefined when never. */
      readonly retryAfterMs: number | undefined;
    }
  /** The same image is being pulled already; only with `inList: 'return'`. */
  | { readonly kind: 'alreadyPulling'; readonly retryAfterMs: number };

export type FailureReason =
  | 'ErrImagePull'
  | 'ImagePullBackOff'
  | 'ErrImageNeverPull'
  | 'InvalidImageName'
  | 'ImageInspectError'
  | 'RegistryUnavailable'
  | 'SignatureValidationFailed';

export interface ImageEnsurerOptions {
  readonly service: ImageService;
  /** `maxParallelImagePulling` of the KubeletConfiguration, read for every pull; 0 means unlimited. */
  readonly maxParallelImagePulling: () => number;
  readonly onEvent: (event: PullEvent) => void;
  readonly clock?: PullClock;
  /**
   * What a pull does whose image is in the list already: `join` waits and shares its result. `return`, the
   * proposal's words, goes away at once and comes again, which never starts a container without its image.
   */
  readonly inList?: 'join' | 'return';
  /** `registryPullQPS` and `registryBurst`, read for every pull; default no limit of the rate. */
  readonly pullRate?: () => PullRate;
  /** Remembers which credentials images were pulled with; by default they are not remembered. */
  readonly records?: PullRecords;
  /** When they matter. Default as a kubelet: of images that this one pulled. */
  readonly verification?: () => VerificationPolicy;
  readonly onNodeEvent?: (event: NodePullEvent) => void;
}

const comeAgainMs = 1_000;
const sayWaitingAfterMs = 5_000;

/**
 * The kubelet's half of a pull: policies, back-off, credentials in turn, events, and the proposal's two ways to limit.
 *
 * A runtime that understands `maxParallelImagePulling` gets it with every pull, and limits. For any other
 * the pulls that run are kept in a list here that is never longer than the limit; who finds it full waits.
 */
export class ImageEnsurer {
  readonly #options: ImageEnsurerOptions;
  readonly #clock: PullClock;
  readonly #backOff = new ImageBackOff();
  readonly #lastErrors = new Map<string, string>();
  readonly #list: PullLimiter<string>;
  readonly #bucket = new PullBucket();

  constructor(options: ImageEnsurerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#list = new PullLimiter<string>({
      limit: options.maxParallelImagePulling(),
      clock: this.#clock,
      // A caller here is a container that is synced again, not a connection; who waits may wait for hours.
      settings: { sessionGraceMs: 0, maxWaiting: Infinity },
    });
  }

  /** The images in the list: those that are being pulled without the help of the runtime. */
  pulling(): readonly string[] {
    return this.#list.state().running.map(({ image }) => image);
  }

  /**
   * Makes sure that an image is there, as a kubelet does before it creates a container.
   * Rejects only with the reason of the signal: everything else is an outcome.
   */
  async ensureImage(wanted: ImageWanted, signal: AbortSignal): Promise<ImageEnsured> {
    signal.throwIfAborted();
    if (!isReference(wanted.image)) {
      const message = `Failed to apply default image tag "${wanted.image}": couldn't parse image name "${wanted.image}": invalid reference format`;
      this.#event(wanted, 'Warning', 'InspectFailed', message);
      return { kind: 'failed', reason: 'InvalidImageName', message, retryAfterMs: undefined };
    }
    const image = withDefaultTag(wanted.image);
    if (wanted.policy !== 'Always') {
      const there = await this.#inspect(wanted, image, signal);
      if (there) return there;
    }
    const key = `${wanted.pod.uid}_${image}`;
    const remainingMs = this.#backOff.remainingMs(key, this.#clock.monotonicMs());
    if (remainingMs > 0) return this.#backingOff(wanted, image, key, remainingMs);
    return await this.#pull(wanted, image, key, signal);
  }

  async #inspect(wanted: ImageWanted, image: string, signal: AbortSignal): Promise<ImageEnsured | undefined> {
    let status: ImageStatus | undefined;
    try {
      status = await this.#options.service.imageStatus(image, signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = `Failed to inspect image "${image}": ${errorMessage(error)}`;
      this.#event(wanted, 'Warning', 'InspectFailed', message);
      return { kind: 'failed', reason: 'ImageInspectError', message, retryAfterMs: comeAgainMs };
    }
    const mustPull = status !== undefined && this.#mustVerify(wanted, image, status.id);
    if (mustPull && wanted.policy === 'Never') return this.#neverPulled(wanted, 'present', notAllowed);
    if (mustPull) return undefined;
    if (status) {
      this.#event(wanted, 'Normal', 'Pulled', `Container image "${wanted.image}" already present on machine`);
      return { kind: 'present', imageRef: status.id };
    }
    if (wanted.policy === 'IfNotPresent') return undefined;
    return this.#neverPulled(wanted, 'not present', '');
  }

  #neverPulled(wanted: ImageWanted, is: 'present' | 'not present', but: string): ImageEnsured {
    const message = `Container image "${wanted.image}" is ${is} with pull policy of Never${but}`;
    this.#event(wanted, 'Warning', 'ErrImageNeverPull', message);
    return { kind: 'failed', reason: 'ErrImageNeverPull', message, retryAfterMs: undefined };
  }

  #mustVerify({ credentials = [] }: ImageWanted, image: string, imageRef: string): boolean {
    const { records, verification } = this.#options;
    return records?.mustPull(verification?.() ?? preloadedAreFree, image, imageRef, credentials) ?? false;
  }

  #backingOff(wanted: ImageWanted, image: string, key: string, remainingMs: number): ImageEnsured {
    const before = this.#lastErrors.get(key);
    const message = `Back-off pulling image "${image}"${before === undefined ? '' : `: ${before}`}`;
    this.#event(wanted, 'Normal', 'BackOff', `Back-off pulling image "${image}"`);
    return { kind: 'failed', reason: 'ImagePullBackOff', message, retryAfterMs: remainingMs };
  }

  async #pull(wanted: ImageWanted, image: string, key: string, signal: AbortSignal): Promise<ImageEnsured> {
    const askedMs = this.#clock.monotonicMs();
    let startedMs = askedMs;
    this.#event(wanted, 'Normal', 'Pulling', `Pulling image "${wanted.image}"`);
    const started = () => {
      startedMs = this.#clock.monotonicMs();
    };
    let error: unknown;
    for (const auth of wanted.credentials?.length ? wanted.credentials : [undefined]) {
      try {
        const listKey = keyOf(image, auth);
        const understands = await this.#options.service.supportsOption(signal);
        const isListed = !understands && this.#list.isOpen(listKey);
        if (isListed && this.#options.inList === 'return') return { kind: 'alreadyPulling', retryAfterMs: comeAgainMs };
        if (isListed) this.#sayShared(wanted, image);
        const imageRef = await this.#pullRecorded(wanted, image, auth, { understands, started, listKey, signal });
        this.#backOff.succeeded(key);
        this.#lastErrors.delete(key);
        await this.#pulled(wanted, imageRef, { askedMs, startedMs, signal });
        return { kind: 'pulled', imageRef };
      } catch (failed) {
        signal.throwIfAborted();
        error = failed;
      }
    }
    const text = errorMessage(error);
    const nowMs = this.#clock.monotonicMs();
    this.#backOff.failed(key, nowMs);
    this.#event(wanted, 'Warning', 'Failed', `Failed to pull image "${wanted.image}": ${text}`);
    const { reason, message } = failureOf(image, text);
    this.#lastErrors.set(key, `${reason}: ${message}`);
    return { kind: 'failed', reason, message, retryAfterMs: this.#backOff.remainingMs(key, nowMs) };
  }

  /** Notes the pull before and after, so that a crash in between leaves an image that needs credentials again. */
  async #pullRecorded(wanted: ImageWanted, image: string, auth: RegistryAuth | undefined, how: How): Promise<string> {
    const { records } = this.#options;
    records?.intend(image);
    try {
      const imageRef = await this.#pullWith(wanted, image, auth, how);
      records?.pulled(image, imageRef, auth);
      return imageRef;
    } catch (error) {
      records?.failed(image);
      throw error;
    }
  }

  async #pullWith(wanted: ImageWanted, image: string, auth: RegistryAuth | undefined, how: How): Promise<string> {
    const { understands, started, listKey, signal } = how;
    const limit = this.#options.maxParallelImagePulling();
    this.#noteLimit(limit);
    const option = understands && limit > 0 ? limit : undefined;
    const request = { image, auth, sandbox: wanted.pod, maxParallelImagePulling: option };
    if (understands) return await this.#ask(request, signal);
    const run = (stop: AbortSignal) => {
      started();
      return this.#ask(request, stop);
    };
    const place = { key: listKey, image, registry: registryOf(image), presence: 'absent', limit: 0 } as const;
    const said = this.#clock.after(sayWaitingAfterMs, () => this.#sayWaiting(wanted, image));
    try {
      return await this.#list.pull({ ...place, podUid: wanted.pod.uid, onFull: { mode: 'wait' }, run }, signal);
    } finally {
      said.cancel();
    }
  }

  /** Who has a slot may still come too often: that is refused, and not waited for. */
  async #ask(request: PullRequest, signal: AbortSignal): Promise<string> {
    const { service, pullRate } = this.#options;
    const isAllowed = pullRate === undefined || this.#bucket.take(pullRate(), this.#clock.monotonicMs());
    if (!isAllowed) throw new Error('pull QPS exceeded');
    return await service.pullImage(request, signal);
  }

  #noteLimit(limit: number): void {
    const before = this.#list.limit;
    if (limit === before) return;
    this.#list.setLimit(limit, 'kubelet configuration');
    const message = `maxParallelImagePulling is ${limitText(limit)} now, and was ${limitText(before)}`;
    this.#options.onNodeEvent?.({ type: 'Normal', reason: 'PullLimitChanged', message });
  }

  #sayShared(wanted: ImageWanted, image: string): void {
    const message = `Image "${image}" is being pulled already, and that pull is shared`;
    this.#event(wanted, 'Normal', 'PullCoalesced', message);
  }

  #sayWaiting(wanted: ImageWanted, image: string): void {
    const { limit, waiting } = this.#list.state();
    const position = waiting.findIndex((pull) => pull.image === image && pull.podUids.includes(wanted.pod.uid)) + 1;
    if (position === 0) return;
    const slots = limit === 1 ? 'the only slot' : `one of ${limit} slots`;
    this.#event(wanted, 'Normal', 'PullWaiting', `Image "${image}" waits for ${slots}, position ${position}`);
  }

  async #pulled(
    wanted: ImageWanted,
    imageRef: string,
    { askedMs, startedMs, signal }: { askedMs: number; startedMs: number; signal: AbortSignal },
  ): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const took = `${durationText(nowMs - startedMs)} (${durationText(nowMs - askedMs)} including waiting)`;
    const status = await this.#options.service.imageStatus(imageRef, signal).catch(() => undefined);
    const size = status ? ` Image size: ${status.sizeBytes} bytes.` : '';
    this.#event(wanted, 'Normal', 'Pulled', `Successfully pulled image "${wanted.image}" in ${took}.${size}`);
  }

  #event(wanted: ImageWanted, type: PullEvent['type'], reason: PullEvent['reason'], message: string): void {
    this.#options.onEvent({ type, reason, message, pod: wanted.pod, container: wanted.container });
  }
}

/** How one pull of the list is made. */
interface How {
  readonly understands: boolean;
  readonly started: () => void;
  readonly listKey: string;
  readonly signal: AbortSignal;
}

const preloadedAreFree: VerificationPolicy = { kind: 'NeverVerifyPreloadedImages' };

const notAllowed = ' but the credentials of this pod were never accepted for it';

function limitText(limit: number): string {
  return limit === 0 ? 'unlimited' : String(limit);
}

/** The kubelet tells errors of a runtime apart by how they start. */
function failureOf(image: string, text: string): { reason: FailureReason; message: string } {
  if (text.startsWith('RegistryUnavailable')) {
    return {
      reason: 'RegistryUnavailable',
      message: `image pull failed for ${image} because the registry is unavailable: ${text}`,
    };
  }
  if (text.startsWith('SignatureValidationFailed')) {
    const message = `image pull failed for ${image} because the signature validation failed: ${text}`;
    return { reason: 'SignatureValidationFailed', message };
  }
  return { reason: 'ErrImagePull', message: text };
}

/** Pulls with other credentials are other pulls. Nothing of the credentials can be read from the key. */
function keyOf(image: string, auth: RegistryAuth | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([image, auth ?? null]))
    .digest('hex');
}

const host = String.raw`(?:(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(?::\d+)?/)?`;
const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const tag = String.raw`(?::[\w][\w.-]{0,127})?`;
const digest = '(?:@[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?';
const reference = new RegExp(`^${host}${part}(?:/${part})*${tag}${digest}$`);

/** The shape of a reference, without asking a registry. */
function isReference(image: string): boolean {
  return image.length <= 4_096 && reference.test(image);
}
