import { framed, grpcCode, messageText, unframed } from '../cri/grpc.js';
import {
  type ImageStatus,
  imageStatusRequest,
  readImageStatusResponse,
  readPullImageResponse,
} from '../cri/image-status.js';
import { limitHeader, supportHeader } from '../cri/option-headers.js';
import { imageSpec, pullImageRequest } from '../cri/pull-image-request.js';
import { CriError, type ImageService, type PullRequest } from '../kubelet/image-service.js';
import { type PullClock, systemClock } from '../limiter/clock.js';
import { RuntimeConnection } from './runtime-connection.js';
import { RuntimeAwayError, unaryCall } from './unary-call.js';

const service = '/runtime.v1.ImageService/';

/** The image service of a real runtime, or of a `slipway pulls serve` before it, over its unix socket. */
export class CriImageService implements ImageService {
  readonly #connection: RuntimeConnection;
  /** What the last answer said; undefined before the first. */
  #supports: boolean | undefined;

  constructor(options: { readonly path: string; readonly clock?: PullClock }) {
    const { path, clock = systemClock } = options;
    this.#connection = new RuntimeConnection({ path, clock, onUp: () => {}, onLost: () => {} });
  }

  async supportsOption(signal: AbortSignal): Promise<boolean> {
    if (this.#supports === undefined || !this.#connection.connected) await this.discover(signal);
    return this.#supports === true;
  }

  /** Asks whether the option is understood, and so whether a runtime answers. @throws CriError */
  async discover(signal: AbortSignal): Promise<void> {
    await this.#call('ImageFsInfo', new Uint8Array(), {}, signal);
  }

  async imageStatus(image: string, signal: AbortSignal): Promise<ImageStatus | undefined> {
    return readImageStatusResponse(await this.#call('ImageStatus', imageStatusRequest(imageSpec(image)), {}, signal));
  }

  async pullImage(
    { image, auth, sandbox, maxParallelImagePulling }: PullRequest,
    signal: AbortSignal,
  ): Promise<string> {
    const option = maxParallelImagePulling === undefined ? {} : { [limitHeader]: String(maxParallelImagePulling) };
    const message = pullImageRequest({ image, auth, sandbox });
    return readPullImageResponse(await this.#call('PullImage', message, option, signal));
  }

  close(): void {
    this.#connection.close();
  }

  async #call(
    method: string,
    message: Uint8Array,
    metadata: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const answer = await unaryCall(
      this.#connection,
      { ':path': `${service}${method}`, ...metadata },
      framed(message),
      signal,
    ).catch((error: unknown) => {
      throw error instanceof RuntimeAwayError ? new CriError(grpcCode.unavailable, error.message) : error;
    });
    const { headers, body, trailers } = answer;
    this.#supports = (headers ?? trailers)[supportHeader] !== undefined;
    const code = Number(trailers['grpc-status']);
    if (code !== grpcCode.ok) throw new CriError(code, messageText(String(trailers['grpc-message'] ?? '')));
    const answered = unframed(body);
    if (!answered) throw new CriError(grpcCode.internal, `${method} was not answered with one message`);
    return answered;
  }
}
