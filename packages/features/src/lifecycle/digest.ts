import { canonicalJson } from '../api/canonical-json.js';

const mask = (1n << 64n) - 1n;

/**
 * Short name of a value, to see that it changed: FNV-1a over canonical JSON, 16
 * hex digits. Forging one gains nothing, so it need not be cryptographic.
 */
export function digest(value: unknown): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(canonicalJson(value))) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
  }
  return hash.toString(16).padStart(16, '0');
}
