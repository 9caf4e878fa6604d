import type { ImageStatus } from '../cri/image-status.js';
import type { PullSandbox, RegistryAuth } from '../cri/pull-image-request.js';

/** One pull as a kubelet asks for it. */
export interface PullRequest {
  readonly image: string;
  readonly auth: RegistryAuth | undefined;
  readonly sandbox: PullSandbox;
  /** The proposal's option; only for a runtime that supports it. Undefined sends none. */
  readonly maxParallelImagePulling: number | undefined;
}

/** The image service of a container runtime, as far as a kubelet needs it to have an image there. */
export interface ImageService {
  /** Undefined when the image is not there. */
  imageStatus(image: string, signal: AbortSignal): Promise<ImageStatus | undefined>;
  /** Resolves with the `image_ref` when the image is there. @throws CriError */
  pullImage(request: PullRequest, signal: AbortSignal): Promise<string>;
  /** Whether the runtime says that it understands `maxParallelImagePulling`. Asked anew whenever it may be another. */
  supportsOption(signal: AbortSignal): Promise<boolean>;
}

/** The runtime answered with an error. The message is what a kubelet shows. */
export class CriError extends Error {
  override readonly name = 'CriError';
  readonly code: number;

  constructor(code: number, text: string) {
    super(code === unknownCode ? text : `rpc error: code = ${codeNames[code] ?? `Code(${code})`} desc = ${text}`);
    this.code = code;
  }
}

/** A kubelet strips this code, so that it can tell errors apart by how they start. */
const unknownCode = 2;

const codeNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];
