export { cpuMsOf } from './cpu-ms.js';
export { FrameQueue } from './frame-queue.js';
export { type InMemoryApi, type InMemoryApiOptions, inMemoryApi } from './in-memory-api.js';
export { ManualClock } from './manual-clock.js';
