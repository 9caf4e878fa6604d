/** Issues certificates on another core, and takes the memory of the X.509 library with it when it ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { issueCertificates, type Wanted } from './issue-certificates.js';

parentPort?.postMessage(await issueCertificates(workerData as Wanted));
