import { type JsonObject, setOwn } from '../json/json-value.js';
import { doesNotApply } from './refusals.js';

/** Bytes that copy operations may add in one patch: as much as a request body may have. */
const maxCopiedBytes = 3 * 1024 * 1024;

/** Makes copies that share nothing with what they were made of, and counts how long they are as text. */
export class Copier {
  #left = maxCopiedBytes;

  copyOf(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) {
      this.#count(typeof value === 'string' ? value.length + 2 : String(value).length);
      return value;
    }
    if (Array.isArray(value)) {
      this.#count(2);
      return value.map((part) => this.#after(1, part));
    }
    this.#count(2);
    const copy: JsonObject = {};
    for (const key of Object.keys(value)) setOwn(copy, key, this.#after(key.length + 4, (value as JsonObject)[key]));
    return copy;
  }

  #after(length: number, part: unknown): unknown {
    this.#count(length);
    return this.copyOf(part);
  }

  #count(length: number): void {
    this.#left -= length;
    if (this.#left < 0) throw doesNotApply(`copies of more than ${maxCopiedBytes} bytes`);
  }
}
