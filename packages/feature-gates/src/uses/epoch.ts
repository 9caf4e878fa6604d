import { fieldOf } from './transport.js';

/** The ConfigMap by which the server asks every process of a namespace to confirm its values soon. */
export const epochConfigMap = 'slipway-use-epoch';

/** What the server asks. */
export interface EpochCall {
  readonly epoch: number;
  /** Over which time the processes spread their reports. */
  readonly spreadMs: number;
}

/** Long enough for a thousand processes at a hundred reports per second. */
const defaultSpreadMs = 10_000;

/**
 * Reads `data.epoch`, an integer, and `data.spreadSeconds`, a number that the server
 * chooses by how many processes there are. Undefined when there is no usable epoch.
 */
export function readEpoch(configMap: unknown): EpochCall | undefined {
  const epoch = Number(fieldOf(configMap, 'data', 'epoch'));
  if (!Number.isSafeInteger(epoch) || epoch < 0) return undefined;
  const text = fieldOf(configMap, 'data', 'spreadSeconds');
  const seconds = text === undefined || text === '' ? Number.NaN : Number(text);
  const usable = seconds >= 0 && seconds <= 3_600;
  return { epoch, spreadMs: usable ? seconds * 1000 : defaultSpreadMs };
}
