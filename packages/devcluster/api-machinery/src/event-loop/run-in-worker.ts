import { Worker } from 'node:worker_threads';

/** Runs a program in a worker of its own with `workerData`, and resolves with the message that it posts. */
export function runInWorker<T>(program: URL, workerData: unknown, doing: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`${doing} ended with ${code}`)));
  });
}
