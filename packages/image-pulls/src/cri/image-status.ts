import { bytesField, fieldsOf } from './wire.js';

/** What ImageStatus says of an image that is there. */
export interface ImageStatus {
  readonly id: string;
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
}

/** An ImageStatusRequest for an ImageSpec. */
export function imageStatusRequest(imageSpec: Uint8Array): Buffer {
  return bytesField(1, imageSpec);
}

/**
 * The image of an ImageStatusResponse, or undefined when the runtime does not have it.
 * @throws WireError
 */
export function readImageStatusResponse(message: Uint8Array): ImageStatus | undefined {
  let status: ImageStatus | undefined;
  for (const field of fieldsOf(message))
    if (field.number === 1 && field.kind === 'bytes') status = imageOf(field.bytes);
  return status?.id ? status : undefined;
}

/** A PullImageResponse. */
export function pullImageResponse(imageRef: string): Buffer {
  return bytesField(1, imageRef);
}

/**
 * The `image_ref` of a PullImageResponse.
 * @throws WireError
 */
export function readPullImageResponse(message: Uint8Array): string {
  let ref = '';
  for (const field of fieldsOf(message)) {
    if (field.number === 1 && field.kind === 'bytes') ref = Buffer.from(field.bytes).toString();
  }
  return ref;
}

function imageOf(message: Uint8Array): ImageStatus {
  let id = '';
  let sizeBytes = 0;
  const repoDigests: string[] = [];
  for (const field of fieldsOf(message)) {
    if (field.kind === 'number') {
      if (field.number === 4) sizeBytes = Number(field.value);
    } else if (field.number === 1) id = Buffer.from(field.bytes).toString();
    else if (field.number === 3) repoDigests.push(Buffer.from(field.bytes).toString());
  }
  return { id, repoDigests, sizeBytes };
}
