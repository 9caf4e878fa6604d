/** Reads one large YAML body on another core. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseManifest, YamlError } from '@slipway/safe-yaml';
import type { YamlReading, YamlTask } from './yaml-body.js';

const { text, limits } = workerData as YamlTask;
parentPort?.postMessage(read());

function read(): YamlReading {
  try {
    return { manifest: parseManifest(text, limits) };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { problem: error.message };
  }
}
