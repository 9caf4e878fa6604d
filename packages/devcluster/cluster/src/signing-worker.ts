/** Signs one certificate, and takes the memory of the X.509 library with it when it ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { signRequest } from './sign-request.js';

parentPort?.postMessage(await signRequest(workerData.authority, workerData.order));
