import { errorMessage, parseQuantity, QuantityError, wholeUnits } from '@slipway/kube';
import { parseYaml } from '@slipway/safe-yaml';
import { simulatedDurationMs } from '../simulation/simulation-text.js';

/** The images that simulated nodes can pull, and how. */
export interface ImageScenario {
  /** What each node gets for all its pulls together; Infinity means unlimited. */
  readonly bytesPerSecond: number;
  /** What images are that are not named. */
  readonly others: SimulatedImage;
  /** By reference, or by repository for all of its tags. */
  readonly named: ReadonlyMap<string, SimulatedImage>;
}

export interface SimulatedImage {
  readonly sizeBytes: number;
  /** From the request to the first byte. */
  readonly latencyMs: number;
  /** What a pull fails with, the first so many times on each node. */
  readonly error?: { readonly text: string; readonly times: number };
}

/** An images file cannot be used. The message says where and why. */
class ImagesFileError extends Error {
  override readonly name = 'ImagesFileError';
}

/** Every image is there and small. */
export const ordinaryImages: ImageScenario = {
  bytesPerSecond: Number.POSITIVE_INFINITY,
  others: { sizeBytes: 50 * 1024 * 1024, latencyMs: 0 },
  named: new Map(),
};

/**
 * Reads an images file: `bandwidth`, `latency` and `size` for all images, and `images`, a list of those that differ, by
 * `name` with `size`, `latency`, `error` and `failures`.
 * @throws ImagesFileError
 */
export function readImages(text: string): ImageScenario {
  const root = fieldsOf(parsed(text), 'the file', ['bandwidth', 'latency', 'size', 'images']);
  const others = imageOf(root, ordinaryImages.others, '');
  const images = root.images ?? [];
  if (!Array.isArray(images)) throw new ImagesFileError('images is not a list');
  const named = images.map((value: unknown, index) => {
    const at = `images[${index}]`;
    const fields = fieldsOf(value, at, ['name', 'size', 'latency', 'error', 'failures']);
    if (typeof fields.name !== 'string' || fields.name === '')
      throw new ImagesFileError(`${at}.name is not the name of an image`);
    return [fields.name, imageOf(fields, others, `${at}.`)] as const;
  });
  const bandwidth = root.bandwidth === undefined ? undefined : bytesOf(root.bandwidth, 'bandwidth');
  if (bandwidth === 0) throw new ImagesFileError('bandwidth is zero: no image would ever come');
  return { bytesPerSecond: bandwidth ?? ordinaryImages.bytesPerSecond, others, named: new Map(named) };
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(text: string): unknown {
  try {
    return parseYaml(text) ?? {};
  } catch (error) {
    throw new ImagesFileError(errorMessage(error), { cause: error });
  }
}

function fieldsOf(value: unknown, at: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ImagesFileError(`${at} is not a map`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ImagesFileError(`${at} has an unknown field ${JSON.stringify(unknown)}; there are ${known.join(', ')}`);
  return value as Fields;
}

function imageOf({ size, latency, error, failures }: Fields, usual: SimulatedImage, at: string): SimulatedImage {
  if (error !== undefined && typeof error !== 'string') throw new ImagesFileError(`${at}error is not a text`);
  const times = failures ?? Number.POSITIVE_INFINITY;
  if (typeof times !== 'number' || times < 1) throw new ImagesFileError(`${at}failures is not a number from 1`);
  if (failures !== undefined && error === undefined)
    throw new ImagesFileError(`${at}failures is there without an error`);
  return {
    sizeBytes: size === undefined ? usual.sizeBytes : bytesOf(size, `${at}size`),
    latencyMs: latency === undefined ? usual.latencyMs : durationOf(latency, `${at}latency`),
    ...(error !== undefined && { error: { text: error, times } }),
  };
}

function bytesOf(value: unknown, at: string): number {
  try {
    const bytes = Number(wholeUnits(parseQuantity(String(value))));
    if (bytes >= 0) return bytes;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
  }
  throw new ImagesFileError(`${at} is ${JSON.stringify(value)}, which is not an amount of bytes (try 300Mi)`);
}

function durationOf(value: unknown, at: string): number {
  const ms = simulatedDurationMs(String(value));
  if (ms !== undefined) return ms;
  throw new ImagesFileError(`${at} is ${JSON.stringify(value)}, which is not a duration (try 50ms)`);
}
