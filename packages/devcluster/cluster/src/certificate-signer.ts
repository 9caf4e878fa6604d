import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { SignCertificate } from '@slipway/controllers/certificate-signing/certificate-signing-controller';
import type { KeyPair } from './issue-certificates.js';

/**
 * Signs certificates under an authority. The X.509 library is loaded by a worker that ends with the
 * certificate, so that its memory is not kept; where none can be had (the sources run unbuilt), by this thread.
 */
export function certificateSigner(authority: KeyPair): SignCertificate {
  return async (order) => {
    const program = new URL('./signing-worker.js', import.meta.url);
    if (existsSync(program)) return await inWorker(program, { authority, order });
    const { signRequest } = await import('./sign-request.js');
    return await signRequest(authority, order);
  };
}

function inWorker(program: URL, workerData: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`signing a certificate ended with ${code}`)));
  });
}
