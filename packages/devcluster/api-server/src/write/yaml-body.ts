import { existsSync } from 'node:fs';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { runInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import { runInWorker } from '@slipway/api-machinery/event-loop/run-in-worker';
import { copyingJson } from '@slipway/api-machinery/json/json-in-slices';
import { JsonError, readingJson, valueLimit } from '@slipway/api-machinery/schema/json-scanner';
import type { Manifest } from '@slipway/safe-yaml';
import { copyJson } from '../request/json-copy.js';
import type { ApiRequest } from '../request/request.js';

/** A body as it was read: its value, and what strict decoding has against it. */
export interface YamlBody {
  readonly value: unknown;
  readonly problems: readonly string[];
}

/** Bytes that are read between two requests. More are read beside this thread, since they take the library long. */
const maxInTurn = 32 * 1024;
/** How much YAML is taken. Tools write their objects as JSON, of which as many values are taken. */
const limits = { maxNodes: valueLimit };
const program = new URL('./yaml-worker.js', import.meta.url);

let library: typeof import('@slipway/safe-yaml') | undefined;
/** Parsed large bodies, with a copy of the value for the first reader, who may change it. */
const readBefore = new WeakMap<Uint8Array, { readonly body: YamlBody; copy: unknown } | JsonError>();
/** Large bodies are read one after the other, so that they never take more than one core and its memory. */
let lastReading: Promise<unknown> = Promise.resolve();

/** What a worker is asked to read, and what it answers: the manifest, or why there is none. */
export type YamlTask = { readonly text: string; readonly limits: { readonly maxNodes: number } };
export type YamlReading = { readonly manifest: Manifest } | { readonly problem: string };

/**
 * Prepares reading the YAML body of a request and returns when that is done: loads the library, which most servers
 * never need, or parses a large body in a worker, which would block all other requests here.
 */
export function yamlReadyFor({ body, headers }: ApiRequest): Promise<void> | undefined {
  if (!body || 'value' in body || !/yaml/i.test(headers['content-type'] ?? '')) return undefined;
  if (body.bytes.length > maxInTurn && existsSync(program)) return readBeside(body.bytes);
  return library ? undefined : loadLibrary();
}

async function loadLibrary(): Promise<void> {
  library = await import('@slipway/safe-yaml');
}

async function readBeside(bytes: Uint8Array): Promise<void> {
  const text = textOf(bytes);
  const json = await runInSlices(readingAsJson(text));
  if (json) return keepForReaders(bytes, json);
  const task: YamlTask = { text, limits };
  const reading = lastReading.then(() => runInWorker<YamlReading>(program, task, 'reading YAML'));
  lastReading = reading.catch(() => {});
  const outcome = await reading;
  if ('problem' in outcome) readBefore.set(bytes, unreadable(outcome.problem));
  else await keepForReaders(bytes, bodyOf(outcome.manifest));
}

async function keepForReaders(bytes: Uint8Array, body: YamlBody): Promise<void> {
  readBefore.set(bytes, { body, copy: await runInSlices(copyingJson(body.value)) });
}

/**
 * Reads a YAML body, which may be JSON. Keys given twice are told in the words in
 * which strict decoding does; of the values the last one counts.
 *
 * @throws JsonError with the place in the text.
 */
export function readYaml(bytes: Uint8Array): YamlBody {
  const before = readBefore.get(bytes);
  if (before instanceof JsonError) throw before;
  if (before) {
    // An update that was overtaken reads it again.
    const value = before.copy ?? copyJson(before.body.value);
    before.copy = undefined;
    return { ...before.body, value };
  }
  const text = textOf(bytes);
  const json = runToCompletion(readingAsJson(text));
  if (json) return json;
  if (!library) throw new Error('YAML is read only after yamlReadyFor()');
  const { parseManifest, YamlError } = library;
  try {
    return bodyOf(parseManifest(text, limits));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw unreadable(error.message, error);
  }
}

function bodyOf({ value, repeated }: Manifest): YamlBody {
  if (repeated.length === 0) return { value, problems: [] };
  const lines = repeated.map(({ key, line }) => `  line ${line}: key ${JSON.stringify(key)} already set in map`);
  return { value, problems: [['yaml: unmarshal errors:', ...lines].join('\n')] };
}

function unreadable(problem: string, cause?: unknown): JsonError {
  return new JsonError(`error converting YAML to JSON: yaml: ${problem}`, { cause });
}

/** A half of a surrogate pair, which JSON can write and YAML cannot. */
const surrogate = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/;

/** JSON is YAML as well, and much faster to read as what it is. */
function* readingAsJson(text: string): Resumable<YamlBody | undefined> {
  if (!/^\s*\{/.test(text)) return undefined;
  if (surrogate.test(text)) throw unreadable('found invalid Unicode character escape code');
  try {
    const { value, duplicates } = yield* readingJson(text);
    return duplicates.length === 0 ? { value, problems: [] } : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
